{#- inputs: name str, group_number int, columns list[str], rows str, bucket str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
the published values of column group {{ group_number }} in each bucket
{% endcall %}
--   columns that stay together in each row:{% for column in columns %} {{ column | comment }}{{ "," if not loop.last }}{% endfor %}

-- reads:   {{ rows | comment }}
-- returns: one row per bucket and published value of the whole column group
--   label_1, ...   the columns, as text
--   value       number of the row, from 1
--   code        number of the published value, the same in every bucket
--   row_count   [rows]
-- nulls:   a null is a label of its own
with counted_labels as (
    select
        {{ bucket | ident }} as bucket,
{% for column in columns %}
        cast({{ column | ident }} as varchar) as label_{{ loop.index }},
{% endfor %}
        count(*) as row_count
    from {{ rows }}
    group by
        {{ bucket | ident }}{% for column in columns %},
        cast({{ column | ident }} as varchar){% endfor %}

)
select
    bucket,
{% for column in columns %}
    label_{{ loop.index }},
{% endfor %}
    row_number() over (
        order by
            bucket,
{% for column in columns %}
            label_{{ loop.index }} nulls first{{ "," if not loop.last }}
{% endfor %}
    ) as value,
    dense_rank() over (
        order by
{% for column in columns %}
            label_{{ loop.index }} nulls first{{ "," if not loop.last }}
{% endfor %}
    ) as code,
    row_count
from counted_labels
