-- published: the rows of the publication, in a staging file until they are proven
-- reads:   source_rows, value_places, class_cells, published_classes
-- returns: one row per source row
-- order:   as in the source, as the plan asks for
with placed_rows as (
    -- every row with its places; every value has one, as the proofs before showed
    select
        source_rows.ward,
        source_rows.case_number,
        source_rows.diagnosis,
        source_rows.class_1,
        source_rows.row_number,
        values_1.value as value_1,
        places_1.place as place_1,
        places_2.place as place_2,
        places_3.place as place_3,
        places_4.place as place_4
    from (
        select *, row_number() over () as row_number
        from sqlanon.source_rows
    ) as source_rows
    left join sqlanon.value_places as places_1
        on places_1.attribute_number = 1
        and places_1.value is not distinct from cast(source_rows."the ""age""" as varchar)
    left join sqlanon.value_places as places_2
        on places_2.attribute_number = 2
        and places_2.value is not distinct from cast(source_rows.born as varchar)
    left join sqlanon.value_places as places_3
        on places_3.attribute_number = 3
        and places_3.value is not distinct from cast(source_rows."tôwn" as varchar)
    left join sqlanon.value_places as places_4
        on places_4.attribute_number = 4
        and places_4.value is not distinct from cast(source_rows."select" as varchar)
    left join sqlanon.table_values_1 as values_1
        on values_1.text is not distinct from cast(source_rows.diagnosis as varchar)
),
dealt_rows as (
    -- rows of one combination, in an order that neither the source nor a value alone decides
    select
        *,
        row_number() over (
            partition by place_1, place_2, place_3, place_4, value_1
            order by
                md5(concat(
                    '7',
                    '|', cast(ward as varchar),
                    '|', cast(case_number as varchar),
                    '|', cast(diagnosis as varchar),
                    '|', cast(class_1 as varchar)
                )),
                ward,
                case_number,
                diagnosis,
                class_1,
                row_number
        ) as dealt_row
    from placed_rows
),
class_shares as (
    -- of the rows of a combination, the first go to its first class, and so on
    select
        *,
        sum(row_count) over (partition by deal order by class) as last_row,
        sum(row_count) over (partition by deal order by class) - row_count + 1 as first_row
    from sqlanon.class_cells
),
classed_rows as (
    select
        dealt_rows.*,
        combinations.class as class
    from dealt_rows
    inner join class_shares as combinations
        on combinations.place_1 = dealt_rows.place_1
        and combinations.place_2 = dealt_rows.place_2
        and combinations.place_3 = dealt_rows.place_3
        and combinations.place_4 = dealt_rows.place_4
        and combinations.value_1 = dealt_rows.value_1
        and dealt_rows.dealt_row between combinations.first_row and combinations.last_row
)
select
    classed_rows.ward,
    classed_rows.case_number,
    published_classes."the ""age""",
    published_classes.born,
    published_classes."tôwn",
    published_classes."select",
    classed_rows.diagnosis,
    classed_rows.class_1
from classed_rows
inner join sqlanon.published_classes as published_classes
    on published_classes.class = classed_rows.class
order by
    classed_rows.row_number
