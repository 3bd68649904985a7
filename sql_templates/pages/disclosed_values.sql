{#- inputs: key list[str], attribute str -#}
-- disclosed_values: rows in whose class everybody has the same {{ attribute | comment }}, by this value
-- reads:   published_rows
-- returns: the value that most of these rows have; no row if there are none
--   value        the value
--   value_rows   its rows in such classes      [rows]
--   all_rows     rows in such classes          [rows]
-- nulls:   a missing value is a value of its own
with class_values as (
    select
{% for column in key %}
        {{ column | ident }},
{% endfor %}
        cast({{ attribute | ident }} as varchar) as class_value,
        count(*) as value_rows
    from sqlanon.published_rows
    group by {% for column in key %}{{ column | ident }}, {% endfor %}cast({{ attribute | ident }} as varchar)
),
counted_values as (
    select
        *,
        count(*) over (partition by {% for column in key %}{{ column | ident }}{{ ", " if not loop.last }}{% endfor %}) as value_count
    from class_values
),
disclosed_values as (
    select class_value, sum(value_rows) as value_rows
    from counted_values
    where value_count = 1
    group by class_value
)
select
    class_value as value,
    cast(value_rows as bigint) as value_rows,
    cast(sum(value_rows) over () as bigint) as all_rows
from disclosed_values
order by value_rows desc, class_value
limit 1
