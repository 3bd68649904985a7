{#- inputs: attributes list[str], relation str -#}
-- source_values: every value of the attributes that a promise looks at, as text; there is no source
--   here, so the published table itself is the table that its classes are compared with
-- reads:   the published table
-- returns: one row per attribute and value
{% for name in attributes %}
{{ "union all " if not loop.first }}select {{ name | text }} as attribute, cast({{ name | ident }} as varchar) as value, count(*) as row_count
from {{ relation }} as published_rows
group by {{ name | ident }}
{% endfor %}
