{#- inputs: title str, class_key list[str] -#}
{% import "_keys.sql" as keys %}
{% set attack = title.removesuffix("_control") %}
-- {{ title }}: how many rows that were kept out the attack takes for published ones
-- reads:   {{ attack }}, {{ attack }}_persons, {{ attack }}_classes
-- returns: one row
--   row_count   rows that were kept out   [rows]
--   guessed     those that fit a class, and only classes at risk   [rows]
-- nulls:   a missing value is a value of its own
with persons_linked as (
    select
        fitting.person,
        bool_and(attacked.broken) as is_linked
    from sqlanon.{{ attack }}_classes as fitting
    inner join sqlanon.{{ attack }} as attacked
{{ keys.join("attacked", "fitting", class_key, true) }}    group by fitting.person
)
select
    cast(coalesce(sum(persons.person_count), 0) as bigint) as row_count,
    cast(
        coalesce(sum(persons.person_count) filter (persons_linked.is_linked), 0) as bigint
    ) as guessed
from sqlanon.{{ attack }}_persons as persons
left join persons_linked on persons_linked.person = persons.person
