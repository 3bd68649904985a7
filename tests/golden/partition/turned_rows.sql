-- turned_rows: every row with the turn in which a relaxed cut deals it to a side
-- reads:   keyed_rows, row_combinations, value_places, table_values_of_diagnosis
-- returns: one row per source row: the number of its distinct row, its places, its value codes
--   dealing_key   key of the row
--   deal   turn of the row: rows with equal places are consecutive, in an order that depends on
--          the seed alone; consecutive rows with equal values share a turn
-- order:   no value decides which row comes first. The key of a row is the keyed hash of its values
--   and of a number that distinguishes equal rows. No two rows share both, so without the seed the
--   keys are like independent random numbers, and every order of the keys is equally likely,
--   whatever the values. Equal rows are not kept together, because that would disclose that they
--   are equal
with coded_combinations as (
    -- one row per distinct row: its places and the codes of its values
    select
        row_combinations.combination,
        places_of_the_age.place as place_of_the_age,
        places_of_born.place as place_of_born,
        places_of_town.place as place_of_town,
        places_of_select.place as place_of_select,
        values_of_diagnosis.value as value_of_diagnosis
    from sqlanon.row_combinations
    left join sqlanon.value_places as places_of_the_age
        on places_of_the_age.attribute_number = 1
        and places_of_the_age.value
            is not distinct from cast(row_combinations."the ""age""" as varchar)
    left join sqlanon.value_places as places_of_born
        on places_of_born.attribute_number = 2
        and places_of_born.value is not distinct from cast(row_combinations.born as varchar)
    left join sqlanon.value_places as places_of_town
        on places_of_town.attribute_number = 3
        and places_of_town.value is not distinct from cast(row_combinations."tôwn" as varchar)
    left join sqlanon.value_places as places_of_select
        on places_of_select.attribute_number = 4
        and places_of_select.value is not distinct from cast(row_combinations."select" as varchar)
    left join sqlanon.table_values_of_diagnosis as values_of_diagnosis
        on values_of_diagnosis.text
            is not distinct from cast(row_combinations.diagnosis as varchar)
),
placed_rows as (
    -- one row per source row: its key, and the least key of all rows at its places
    select
        coded_combinations.*,
        keyed_rows.dealing_key,
        min(keyed_rows.dealing_key) over (
            partition by
                coded_combinations.place_of_the_age,
                coded_combinations.place_of_born,
                coded_combinations.place_of_town,
                coded_combinations.place_of_select
        ) as first_key
    from sqlanon.keyed_rows
    inner join coded_combinations on coded_combinations.combination = keyed_rows.combination
),
opening_rows as (
    -- the same rows: does a turn begin with this one?
    select
        *,
        dealing_key = first_key
            or value_of_diagnosis is distinct from lag(value_of_diagnosis) over turns as opens
    from placed_rows
    window turns as (order by first_key, dealing_key)
)
select
    combination,
    place_of_the_age,
    place_of_born,
    place_of_town,
    place_of_select,
    value_of_diagnosis,
    dealing_key,
    sum(case when opens then 1 else 0 end) over (
        order by first_key, dealing_key rows unbounded preceding
    ) as deal
from opening_rows
