-- histories_rows: the rows of each person, as the attacker may know them
-- reads:   sqlanon.known_rows, histories_values
-- returns: one row per row of a person
--   person          number of the person
--   known_number    number of the row among those of the person, in the order of the known values
--   row_count       rows of the person   [rows]
--   at_1, text_1    place of age, and number of its value
--   at_2, text_2    place of zip, and number of its value
select
    cast(dense_rank() over (order by known_rows.patient) as integer) as person,
    cast(
        row_number() over (
            partition by known_rows.patient
            order by
                values_1.text_order,
                values_2.text_order
        ) as integer
    ) as known_number,
    cast(count(*) over (partition by known_rows.patient) as integer) as row_count,
    values_1.place as at_1,
    values_1.text_order as text_1,
    values_2.place as at_2,
    values_2.text_order as text_2
from sqlanon.known_rows as known_rows
inner join sqlanon.histories_values as values_1
    on values_1.attribute_number = 1
    and values_1.value is not distinct from cast(known_rows.age as varchar)
inner join sqlanon.histories_values as values_2
    on values_2.attribute_number = 2
    and values_2.value is not distinct from cast(known_rows.zip as varchar)
where known_rows.patient is not null
    and known_rows.age is not null
