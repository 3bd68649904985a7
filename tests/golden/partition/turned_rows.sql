-- turned_rows: every row with the turn in which a relaxed cut deals it to a side
-- reads:   keyed_rows, row_combinations, value_places, table_values_1
-- returns: one row per source row: the number of its distinct row, its places, its value codes
--   key_0   key of the row
--   deal    turn of the row: rows with equal places are consecutive, in an order that depends on
--           the seed alone; consecutive rows with equal values share a turn
-- order:   no value decides which row comes first. The key of a row is the keyed hash of its values
--   and of a number that distinguishes equal rows. No two rows share both, so without the seed the
--   keys are like independent random numbers, and every order of the keys is equally likely,
--   whatever the values. Equal rows are not kept together, because that would disclose that they
--   are equal
with coded_combinations as (
    select
        combinations.combination as combination,
        places_1.place as place_1,
        places_2.place as place_2,
        places_3.place as place_3,
        places_4.place as place_4,
        values_1.value as value_1
    from sqlanon.row_combinations as combinations
    left join sqlanon.value_places as places_1
        on places_1.attribute_number = 1
        and places_1.value is not distinct from cast(combinations."the ""age""" as varchar)
    left join sqlanon.value_places as places_2
        on places_2.attribute_number = 2
        and places_2.value is not distinct from cast(combinations.born as varchar)
    left join sqlanon.value_places as places_3
        on places_3.attribute_number = 3
        and places_3.value is not distinct from cast(combinations."tôwn" as varchar)
    left join sqlanon.value_places as places_4
        on places_4.attribute_number = 4
        and places_4.value is not distinct from cast(combinations."select" as varchar)
    left join sqlanon.table_values_1 as values_1
        on values_1.text is not distinct from cast(combinations.diagnosis as varchar)
),
placed_rows as (
    select
        coded_combinations.*,
        keyed_rows.key_0,
        min(keyed_rows.key_0) over (
            partition by
                coded_combinations.place_1,
                coded_combinations.place_2,
                coded_combinations.place_3,
                coded_combinations.place_4
        ) as first_key
    from sqlanon.keyed_rows as keyed_rows
    inner join coded_combinations on coded_combinations.combination = keyed_rows.combination
),
opening_rows as (
    select
        *,
        key_0 = first_key
            or value_1 is distinct from lag(value_1) over turns as opens
    from placed_rows
    window turns as (order by first_key, key_0)
)
select
    combination,
    place_1,
    place_2,
    place_3,
    place_4,
    value_1,
    key_0,
    sum(case when opens then 1 else 0 end) over (
        order by first_key, key_0 rows unbounded preceding
    ) as deal
from opening_rows
