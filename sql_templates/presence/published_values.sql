{#- inputs: name str, group_number int, columns list[str], rows str -#}
{% import "_comments.sql" as comments %}
{% import "_numbered.sql" as numbered %}
{% set labels = numbered.list("label", columns | length) %}
{% macro sorted() %}{% for _ in columns %}label_{{ loop.index }} nulls first{{ ", " if not loop.last }}{% endfor %}{% endmacro %}
{{ comments.line("-- " ~ name ~ ":", "the published values of column group " ~ group_number ~ " in each bucket") }}
--   columns that stay together in each row:{% for column in columns %} {{ column | comment }}{{ "," if not loop.last }}{% endfor %}

-- reads:   {{ rows | comment }}
-- returns: one row per bucket and published value of the whole column group
--   label_1, ...   the columns, as text
--   value       number of the row, from 1
--   code        number of the published value, the same in every bucket
--   row_count   [rows]
-- nulls:   a null is a label of its own
with labels as (
    select bucket, {{ numbered.texts(columns, "label") }}
    from {{ rows }}
),
counted_labels as (
    select bucket, {{ labels }}, count(*) as row_count
    from labels
    group by bucket, {{ labels }}
)
select
    bucket,
    {{ labels }},
    row_number() over (order by bucket, {{ sorted() }}) as value,
    dense_rank() over (order by {{ sorted() }}) as code,
    row_count
from counted_labels
