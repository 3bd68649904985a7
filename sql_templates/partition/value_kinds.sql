{#- inputs: names list[str] -#}
{% import "_keys.sql" as keys %}
-- value_kinds: whether attributes without a type and a hierarchy contain numbers or dates
-- reads:   source_values
-- returns: one row per attribute: the number of its values (without a missing one), of numbers
--   among them, and of dates
select
    attribute,
    count(value) as value_count,
    count(try_cast(value as double)) as number_count,
    count(try_cast(value as timestamp)) as date_count
from sqlanon.source_values
where attribute in ({{ keys.texts(names) }})
group by attribute
order by attribute
