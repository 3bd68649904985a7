{#- inputs: hierarchies list[dict name attribute level_count word], words int, row_count str -#}
-- value_codes: the packed key of every value, and how many source rows hold the value
-- reads:   every hierarchy, level_codes, source_combinations
-- returns: one row per attribute and value
{% for word in range(1, words + 1) %}
--   key_{{ word }}       the value's bits in key {{ word }}; 0 where the attribute stands in another
{% endfor %}
--   row_count   source rows with this value   [rows]
{% for hierarchy in hierarchies %}
{% if not loop.first %}
union all
{% endif %}
-- {{ hierarchy.attribute | comment }}
select
    {{ hierarchy.attribute | text }} as attribute,
    hierarchy.level_0 as value,
{% for word in range(1, words + 1) %}
{% if word == hierarchy.word and hierarchy.level_count > 1 %}
{% for level in range(hierarchy.level_count - 1) %}
    {{ "+ " if not loop.first }}(hierarchy.position_{{ level }} << (
        select shift from sqlanon.level_codes
        where attribute = {{ hierarchy.attribute | text }} and level = {{ level }}
    )){{ " as key_" ~ word ~ "," if loop.last }}
{% endfor %}
{% else %}
    cast(0 as bigint) as key_{{ word }},
{% endif %}
{% endfor %}
    coalesce(counted_values.row_count, 0) as row_count
from sqlanon.{{ hierarchy.name | ident }} as hierarchy
left join (
    select cast({{ hierarchy.attribute | ident }} as varchar) as value, cast(sum({{ row_count | ident }}) as bigint) as row_count
    from sqlanon.source_combinations
    group by {{ hierarchy.attribute | ident }}
) as counted_values on counted_values.value is not distinct from hierarchy.level_0
{% endfor %}
