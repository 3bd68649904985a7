-- histories_rows: the rows of each person, as the attacker may know them
-- reads:   sqlanon.known_rows, value_places
-- returns: one row per row of a person
--   person          number of the person
--   known_number    number of the row among those of the person, in the order of the known values
--   row_count       rows of the person   [rows]
--   at_1, text_1    place of age, and number of its value in the order of texts
--   at_2, text_2    place of zip, and number of its value in the order of texts
--                   the place is -1 if no label covers the value
-- nulls:   a null is a value of its own
with known_rows as (
    select
        known_rows.patient as holder,
        cast(known_rows.age as varchar) as value_1,
        cast(known_rows.zip as varchar) as value_2
    from sqlanon.known_rows as known_rows
    where known_rows.patient is not null
        and known_rows.age is not null
),
persons as (
    select
        holder,
        cast(row_number() over (order by holder) as integer) as person,
        cast(row_count as integer) as row_count
    from (select holder, count(*) as row_count from known_rows group by holder) as holders
),
places_1 as (
    select
        known_values.value,
        coalesce(value_places.place, -1) as place,
        cast(row_number() over (order by known_values.value nulls last) as integer) as text_order
    from (select distinct value_1 as value from known_rows) as known_values
    left join sqlanon.value_places
        on value_places.attribute_number = 1
        and value_places.value is not distinct from known_values.value
),
places_2 as (
    select
        known_values.value,
        coalesce(value_places.place, -1) as place,
        cast(row_number() over (order by known_values.value nulls last) as integer) as text_order
    from (select distinct value_2 as value from known_rows) as known_values
    left join sqlanon.value_places
        on value_places.attribute_number = 2
        and value_places.value is not distinct from known_values.value
)
select
    persons.person,
    cast(
        row_number() over (
            partition by persons.person
            order by
                places_1.text_order,
                places_2.text_order
        ) as integer
    ) as known_number,
    persons.row_count,
    places_1.place as at_1,
    places_1.text_order as text_1,
    places_2.place as at_2,
    places_2.text_order as text_2
from known_rows
inner join persons on persons.holder = known_rows.holder
inner join places_1 on places_1.value is not distinct from known_rows.value_1
inner join places_2 on places_2.value is not distinct from known_rows.value_2
