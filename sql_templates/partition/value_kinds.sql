{#- inputs: names list[str] -#}
{% import "_keys.sql" as keys %}
-- value_kinds: are the values of attributes without type and hierarchy numbers, or dates?
-- reads:   source_values
-- returns: one row per attribute: values (a missing one apart), how many are numbers, how many dates
select
    attribute,
    count(value) as value_count,
    count(try_cast(value as double)) as number_count,
    count(try_cast(value as timestamp)) as date_count
from sqlanon.source_values
where attribute in ({{ keys.texts(names, 4) }})
group by attribute
order by attribute
