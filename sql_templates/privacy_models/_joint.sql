{#- a model's model_check of classes that known sensitive values divide further, by class -#}
-- the promise holds for a class if it holds for each of its parts, whose rows share
-- the other sensitive values, too
select
{{ sqlanon.keys_select("parts", class_key) }}{% for column, aggregate in measures.items() %}
    {{ aggregate }}(parts.{{ column }}) as {{ column }},
{% endfor %}
{% if excess %}
    cast(sum(parts.excess_rows) as bigint) as excess_rows,
{% endif %}
    bool_and(parts.satisfied) as satisfied
from (
{{ model_sql | indent(4, first=true) }}
) as parts
group by {{ sqlanon.keys_list("parts", class_key) }}
