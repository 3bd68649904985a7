{# The select `rows` of these columns, of the sample alone: whose keyed hash begins with digits below `below`. #}
{% import "buckets/_keyed_hash.sql" as keyed %}
{% import "_keys.sql" as keys %}
{% macro drawn(rows, names, person, below, margin="") -%}
{{ margin }}select {{ keys.list("", names) }}
{% if person %}
{{ margin }}from (
{{ rows }}
{{ margin }}) as all_rows
{{ margin }}-- a person is drawn with all rows or none; the key is a session variable and in no file
{{ margin }}where substring({{ keyed.keyed_hash("sample", [person], "sqlanon_pseudonym_key") | indent(margin | length) }}, 1, 15) < {{ below | text }}
{%- else %}
{{ margin }}from (
{{ margin }}    select
{{ margin }}        {{ keys.list("", names) }},
{{ margin }}        -- equal rows are drawn one by one; which is which makes no difference
{{ margin }}        row_number() over (
{{ margin }}            partition by {{ keys.list("", names) }} order by {{ names[0] | ident }}
{{ margin }}        ) as copy_of_row
{{ margin }}    from (
{{ rows }}
{{ margin }}    ) as all_rows
{{ margin }}) as numbered_rows
{{ margin }}-- the key is a session variable and in no file
{{ margin }}where substring({{ keyed.keyed_hash("sample", names + ["copy_of_row"], "sqlanon_pseudonym_key") | indent(margin | length) }}, 1, 15) < {{ below | text }}
{%- endif %}
{%- endmacro %}
