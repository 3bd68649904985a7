{#- inputs: title str, columns list[str], relation str, row_count str, person str -#}
-- {{ title }}: the combinations with small numbers in place of values, to count sets of them
-- reads:   {{ relation }}
-- returns: one row per combination{{ " and person" if person }}
--   column_1 ...  number of the value of each column, from 1
--   row_count     rows   [rows]
-- nulls:   a null has a number of its own
with
{% for column in columns %}
codes_{{ loop.index }} as (
    select value, cast(row_number() over (order by value) as integer) as code
    from (select distinct {{ column | ident }} as value from {{ relation }}) as listed
){{ "," if not loop.last }}
{% endfor %}
select
{% for column in columns %}
    codes_{{ loop.index }}.code as column_{{ loop.index }},
{% endfor %}
{% if person %}
    combinations.{{ person | ident }} as person,
{% endif %}
    combinations.{{ row_count | ident }} as row_count
from {{ relation }} as combinations
{% for column in columns %}
inner join codes_{{ loop.index }} on codes_{{ loop.index }}.value is not distinct from combinations.{{ column | ident }}
{% endfor %}
where combinations.{{ row_count | ident }} > 0
