-- histories_values: the values that the attacker knows, as places among those of the labels
-- reads:   sqlanon.known_rows, value_places
-- returns: one row per attribute and value
--   place        where labels cover the value; -1 if none does
--   text_order   number of the value in the order of texts
-- nulls:   a null is a value of its own
with known_values (attribute_number, attribute, value) as (
    select 1, 'age', cast(known_rows.age as varchar)
    from sqlanon.known_rows as known_rows
    group by cast(known_rows.age as varchar)
    union all select 2, 'zip', cast(known_rows.zip as varchar)
    from sqlanon.known_rows as known_rows
    group by cast(known_rows.zip as varchar)
)
select
    known_values.attribute_number,
    known_values.value,
    coalesce(value_places.place, -1) as place,
    cast(
        row_number() over (
            partition by known_values.attribute_number
            order by known_values.value nulls last
        ) as integer
    ) as text_order
from known_values
left join sqlanon.value_places
    on value_places.attribute_number = known_values.attribute_number
    and value_places.value is not distinct from known_values.value
