{#- inputs: title str, class_key list[str] -#}
{% import "_keys.sql" as keys %}
{% set attack = title.removesuffix("_control") %}
-- {{ title }}: how many rows that were kept out the attack takes for published ones
-- reads:   {{ attack }}, {{ attack }}_persons, {{ attack }}_classes
-- returns: one row
--   row_count   rows that were kept out   [rows]
--   guessed     those that fit a class, and only classes at risk   [rows]
-- nulls:   a missing value is a value of its own
with guesses as (
    select fitting.person, attacked.broken as is_right
    from sqlanon.{{ attack }}_classes as fitting
    inner join sqlanon.{{ attack }} as attacked
{{ keys.join("attacked", "fitting", class_key, true) }}),
{% include "attacks/_held_out_counts.sql" %}
