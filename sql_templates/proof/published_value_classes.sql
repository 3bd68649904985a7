{#- inputs: title str, values_table str, class_key list[str] -#}
-- {{ title }}: the classes of {{ values_table }}
-- reads:   {{ values_table }}
-- returns: one row per class
--   class_size   sum of its value counts
select
{% for column in class_key %}
    {{ column | ident }},
{% endfor %}
    cast(sum(value_count) as bigint) as class_size
from sqlanon.{{ values_table }}
group by
{% for column in class_key %}
    {{ column | ident }}{{ "," if not loop.last }}
{% endfor %}
