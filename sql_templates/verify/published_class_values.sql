{#- inputs: number int, attribute str, quasi_identifiers list[tuple[str, str]] -#}
-- published_class_values_{{ number }}: how often each {{ attribute | comment }} occurs in each published class
-- reads:   published_rows, table_values_{{ number }}
-- returns: one row per class and value
select
{% for name, alias in quasi_identifiers %}
    published_rows.{{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }},
{% endfor %}
    table_values.value,
    count(*) as value_count
from sqlanon.published_rows as published_rows
inner join sqlanon.table_values_{{ number }} as table_values
    on table_values.text is not distinct from cast(published_rows.{{ attribute | ident }} as varchar)
group by
{% for name, alias in quasi_identifiers %}
    published_rows.{{ name | ident }},
{% endfor %}
    table_values.value
