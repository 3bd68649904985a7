{#- inputs: number int, relation str, masks list[int], size int, unit bool -#}
-- waiting_set_{{ number }}: the rows that wait after pass {{ number - 1 }}
-- reads:   {{ relation }}
-- returns: the rows of {{ relation }} in classes of fewer than {{ size }} {{ "persons" if unit else "rows" }} at the node of pass {{ number - 1 }}
with waiting_classes as (
    select {% for mask in masks %}key_{{ loop.index }} & {{ mask }} as class_{{ loop.index }}{{ ", " if not loop.last }}{% endfor %}

    from sqlanon.{{ relation }}
    group by {% for mask in masks %}key_{{ loop.index }} & {{ mask }}{{ ", " if not loop.last }}{% endfor %}

    having {{ "count(distinct person)" if unit else "sum(row_count)" }} < {{ size }}
)
select waiting_rows.*
from sqlanon.{{ relation }} as waiting_rows
inner join waiting_classes
{% for mask in masks %}
    {{ "on" if loop.first else "and" }} waiting_classes.class_{{ loop.index }} = waiting_rows.key_{{ loop.index }} & {{ mask }}
{% endfor %}
