{#- a select: how often each value of an attribute occurs in each class of `combinations`; `known` sensitive values divide classes further -#}
select
{% for name, alias in quasi_identifiers %}
    combinations.{{ alias | ident }},
{% endfor %}
{% for other in known %}
    combinations.text_{{ other }} as value_{{ other }},
{% endfor %}
    {{ "0 as value" if is_generalized else "table_values.value" }},
    {{ "count(distinct combinations.person)" if unit else "cast(sum(combinations.row_count) as bigint)" }} as value_count
from {{ combinations }} as combinations
{% if not is_generalized %}
inner join sqlanon.table_values_{{ number }} as table_values
    on table_values.text is not distinct from combinations.text_{{ number }}
{% endif %}
group by
{% for name, alias in quasi_identifiers %}
    combinations.{{ alias | ident }}{{ "," if not loop.last or known or not is_generalized }}
{% endfor %}
{% for other in known %}
    combinations.text_{{ other }}{{ "," if not loop.last or not is_generalized }}
{% endfor %}
{% if not is_generalized %}
    table_values.value
{% endif %}
