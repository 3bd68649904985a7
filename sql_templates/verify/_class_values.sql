{#- a select: how often each value of an attribute occurs in each class of `combinations`; `known` sensitive values divide classes further -#}
select
{% for name, alias in quasi_identifiers %}
    combinations.{{ alias | ident }},
{% endfor %}
{% for other in known %}
    combinations.text_{{ other }} as value_{{ other }},
{% endfor %}
    table_values.value,
    {{ "count(distinct combinations.person)" if unit else "cast(sum(combinations.row_count) as bigint)" }} as value_count
from {{ combinations }} as combinations
inner join sqlanon.table_values_{{ number }} as table_values
    on table_values.text is not distinct from combinations.text_{{ number }}
group by
{% for name, alias in quasi_identifiers %}
    combinations.{{ alias | ident }},
{% endfor %}
{% for other in known %}
    combinations.text_{{ other }},
{% endfor %}
    table_values.value
