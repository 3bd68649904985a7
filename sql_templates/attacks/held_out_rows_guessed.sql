{#- inputs: title str, classes str, class_values str, table_values str, value_levels str, class_key list[str], tau Decimal | None, level int, gain Decimal | None -#}
{% import "_keys.sql" as keys %}
{% set attack = title.removesuffix("_control") %}
-- {{ title }}: of how many rows that were kept out the attack guesses the value
-- reads:   {{ attack }}_persons, {{ attack }}_classes, {{ classes }}, {{ class_values }}, {{ table_values }}{{ ", " ~ value_levels if level }}
-- returns: one row
--   row_count   rows that were kept out   [rows]
--   guessed     those whose value every class discloses that they fit   [rows]
-- nulls:   a missing value is a value of its own
with disclosed_values as (
    -- one row per class and value of the table that it discloses{{ ", by labels of level " ~ level if level }}
    select
{{ keys.select("classes", class_key, true) }}        table_values.text,
        true as is_disclosed
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }}{% if level %}
    inner join {{ keys.named(value_levels, "labels") }}
        on labels.value = class_values.value and labels.level = {{ level }}
    inner join {{ keys.named(value_levels, "alike") }}
        on alike.label is not distinct from labels.label and alike.level = {{ level }}
{% endif %}
    inner join {{ keys.named(table_values, "table_values") }}
        on table_values.value = {{ "alike" if level else "class_values" }}.value
    group by {{ keys.list("classes", class_key, last=["classes.class_size", "table_values.text", "table_values.row_count", "table_values.table_size"]) }}
    having sum(class_values.value_count){% if gain %} * table_values.table_size
            > {{ gain | number }} * (classes.class_size * table_values.row_count){% else %} >= {{ tau | number }} * classes.class_size{% endif %}

),
guesses as (
    -- one row per combination and class that it fits
    select
        fitting.person,
{{ keys.select("fitting", class_key, true) }}        coalesce(
            bool_or(
                disclosed_values.is_disclosed
                and disclosed_values.text is not distinct from persons.secret
            ),
            false
        ) as is_right
    from sqlanon.{{ attack }}_classes as fitting
    inner join sqlanon.{{ attack }}_persons as persons on persons.person = fitting.person
    left join disclosed_values
{{ keys.join("disclosed_values", "fitting", class_key, true) }}    group by {{ keys.list("fitting", class_key, first=["fitting.person"]) }}
),
{% include "attacks/_held_out_counts.sql" %}
