{# The select `rows` of these columns, with at most so many rows of a person: chosen by a keyed hash. #}
{% import "buckets/_keyed_hash.sql" as keyed %}
{% import "_keys.sql" as keys %}
{% macro chosen(rows, names, person, most, margin="") -%}
{{ margin }}select {{ keys.list("", names) }}
{{ margin }}from (
{{ margin }}    select
{{ margin }}        {{ keys.list("", names) }},
{{ margin }}        -- in an order that nobody knows: the key is a session variable and stored in no file
{{ margin }}        row_number() over (
{{ margin }}            partition by {{ person | ident }}
{{ margin }}            order by {{ keyed.keyed_hash("rows", names, "sqlanon_pseudonym_key") | indent(12 + margin | length) }}
{{ margin }}        ) as row_place_of_person
{{ margin }}    from (
{{ rows }}
{{ margin }}    ) as read_rows
{{ margin }}) as placed_rows
{{ margin }}where row_place_of_person <= {{ most }}
{%- endmacro %}
