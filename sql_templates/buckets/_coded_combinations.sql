{#- CTE: the distinct rows with the places of their quasi-identifiers, and the codes of the values that count -#}
{% import "partition/_lists.sql" as lists %}
{% import "partition/_places.sql" as places %}
coded_combinations as (
    -- one row per distinct row: {{ "its places" if attributes }}{{ " and " if attributes and counted }}{{ "the codes of its values" if counted }}
    select
        {{ lists.column(names.combination, "combination", "row_combinations") }}{% for attribute in attributes %},
        {{ attribute.named("places") | ident }}.place as {{ attribute.place | ident }}{% endfor %}{% for column in counted %},
        {{ column.named("values") }}.value as {{ column.named("value") }}{% endfor %}

    from sqlanon.row_combinations
{{ places.lookup(attributes, "row_combinations", "    ") }}{% for column in counted %}
    left join sqlanon.{{ column.named("table_values") }} as {{ column.named("values") }}
        on {{ column.named("values") }}.text
            is not distinct from cast(row_combinations.{{ column.name | ident }} as varchar)
{% endfor %}
)
