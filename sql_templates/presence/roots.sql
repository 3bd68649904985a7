{#- inputs: name str, values list[str] -#}
-- {{ name }}: buckets and published values before any of them are merged
-- reads:   {{ values | join(", ") }}
-- returns: one row per bucket (group_number 0) and published value
--   root      lowest number known to be merged with it: its own
--   changed   true: the next round may find a lower number
select distinct 0 as group_number, bucket as value, bucket as root, true as changed
from {{ values[0] }}
{% for relation in values %}
union all
select {{ loop.index }}, value, value, true
from {{ relation }}
{% endfor %}
