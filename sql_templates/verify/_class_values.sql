{#- a select: how often each value of an attribute occurs in each class of the rows `rows`; `known` sensitive values divide classes further -#}
select
{% for name, alias in quasi_identifiers %}
    published_rows.{{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }},
{% endfor %}
{% for number, name in known %}
    published_rows.{{ name | ident }} as value_{{ number }},
{% endfor %}
    table_values.value,
    {{ "count(distinct published_rows." ~ (unit | ident) ~ ")" if unit else "count(*)" }} as value_count
from {{ rows }} as published_rows
inner join sqlanon.table_values_{{ number }} as table_values
    on table_values.text is not distinct from cast(published_rows.{{ attribute | ident }} as varchar)
group by
{% for name, alias in quasi_identifiers %}
    published_rows.{{ name | ident }},
{% endfor %}
{% for number, name in known %}
    published_rows.{{ name | ident }},
{% endfor %}
    table_values.value
