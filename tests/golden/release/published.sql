-- published: the rows of the publication, in a staging file until they are proven
-- reads:   source_rows, value_codes, chosen_node, published_classes
-- returns: one row per published source row
-- order:   by the published values alone; the order of the source could identify persons
with node_masks as (
    select
        cast(sum(mask) filter (where word = 1) as bigint) as mask_1,
        cast(sum(mask) filter (where word = 2) as bigint) as mask_2
    from sqlanon.chosen_node
),
classed_rows as (
    -- every row with its class: the sum of its values' keys & the mask of the node;
    -- hierarchy_problems showed that every value has a code
    select
        source_rows.ward,
        source_rows.case_number,
        source_rows.diagnosis,
        source_rows.class_1,
        (
            codes_1.key_1
            + codes_2.key_1
            + codes_3.key_1
            + codes_4.key_1
            + codes_5.key_1
            + codes_6.key_1
            + codes_7.key_1
        ) & node_masks.mask_1 as class_1_,
        (
            codes_8.key_2
        ) & node_masks.mask_2 as class_2
    from sqlanon.source_rows as source_rows
    left join sqlanon.value_codes as codes_1
        on codes_1.attribute = 'the "age"'
        and codes_1.value is not distinct from cast(source_rows."the ""age""" as varchar)
    left join sqlanon.value_codes as codes_2
        on codes_2.attribute = 'born'
        and codes_2.value is not distinct from cast(source_rows.born as varchar)
    left join sqlanon.value_codes as codes_3
        on codes_3.attribute = 'zip'
        and codes_3.value is not distinct from cast(source_rows.zip as varchar)
    left join sqlanon.value_codes as codes_4
        on codes_4.attribute = 'select'
        and codes_4.value is not distinct from cast(source_rows."select" as varchar)
    left join sqlanon.value_codes as codes_5
        on codes_5.attribute = 'longitude'
        and codes_5.value is not distinct from cast(source_rows.longitude as varchar)
    left join sqlanon.value_codes as codes_6
        on codes_6.attribute = 'tôwn'
        and codes_6.value is not distinct from cast(source_rows."tôwn" as varchar)
    left join sqlanon.value_codes as codes_7
        on codes_7.attribute = 'work'
        and codes_7.value is not distinct from cast(source_rows.work as varchar)
    left join sqlanon.value_codes as codes_8
        on codes_8.attribute = 'sex'
        and codes_8.value is not distinct from cast(source_rows.sex as varchar)
    cross join node_masks
)
select
    classed_rows.ward,
    classed_rows.case_number,
    published_classes."the ""age""",
    published_classes.born,
    published_classes.zip,
    published_classes."select",
    published_classes.longitude,
    published_classes."tôwn",
    published_classes.work,
    published_classes.sex,
    classed_rows.diagnosis,
    classed_rows.class_1
from classed_rows
inner join sqlanon.published_classes as published_classes
    on published_classes.class_1_ = classed_rows.class_1_
    and published_classes.class_2 = classed_rows.class_2
order by
    published_classes."position",
    classed_rows.ward,
    classed_rows.case_number,
    classed_rows.diagnosis,
    classed_rows.class_1
