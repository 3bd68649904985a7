-- published: the rows of the publication, in a staging file until they are proven
-- reads:   source_rows, value_codes, chosen_node, published_classes
-- returns: one row per published source row
-- order:   the order of the source, as the plan requires
with node_masks as (
    select
        cast(sum(mask) filter (where word = 1) as bigint) as mask_1
    from sqlanon.chosen_node
),
classed_rows as (
    -- every row with its class: the sum of its values' keys & the mask of the node;
    -- hierarchy_problems showed that every value has a code
    select
        source_rows.row_number,
        (
            codes_1.key_1
            + codes_2.key_1
        ) & node_masks.mask_1 as class_1
    from (
        select *, row_number() over () as row_number
        from sqlanon.source_rows
    ) as source_rows
    left join sqlanon.value_codes as codes_1
        on codes_1.attribute = 'the "age"'
        and codes_1.value is not distinct from cast(source_rows."the ""age""" as varchar)
    left join sqlanon.value_codes as codes_2
        on codes_2.attribute = 'sex'
        and codes_2.value is not distinct from cast(source_rows.sex as varchar)
    cross join node_masks
)
select
    published_classes."the ""age""",
    published_classes.sex
from classed_rows
inner join sqlanon.published_classes as published_classes
    on published_classes.class_1 = classed_rows.class_1
order by
    classed_rows.row_number
