{#- CTE: the distinct rows with the places of their quasi-identifiers, and the codes of the values that count -#}
{% import "partition/_lists.sql" as lists %}
{% import "partition/_places.sql" as places %}
coded_combinations as (
    -- one row per distinct row: {{ "its places" if attributes }}{{ " and " if attributes and counted }}{{ "the codes of its values" if counted }}
    select
        {{ lists.column(names.combination, "combination", "row_combinations") }}{% for attribute in attributes %},
        {{ attribute.named("places") | ident }}.place as {{ attribute.place | ident }}{% endfor %}{% for number, name, code in counted %},
        values_{{ number }}.value as {{ code | ident }}{% endfor %}

    from sqlanon.row_combinations
{{ places.lookup(attributes, "row_combinations", "    ") }}{% for number, name, code in counted %}
    left join sqlanon.table_values_{{ number }} as values_{{ number }}
        on values_{{ number }}.text
            is not distinct from cast(row_combinations.{{ name | ident }} as varchar)
{% endfor %}
)
