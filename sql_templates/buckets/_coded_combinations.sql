{#- CTE: the distinct rows with the places of their quasi-identifiers, and the codes of the values that count -#}
coded_combinations as (
    select
        combinations.{{ names.combination | ident }} as combination{% for attribute in attributes %},
        places_{{ attribute.number }}.place as place_{{ attribute.number }}{% endfor %}{% for number, name in counted %},
        values_{{ number }}.value as value_{{ number }}{% endfor %}

    from sqlanon.row_combinations as combinations
{% for attribute in attributes %}
    left join sqlanon.value_places as places_{{ attribute.number }}
        on places_{{ attribute.number }}.attribute_number = {{ attribute.number }}
        and places_{{ attribute.number }}.value is not distinct from cast(combinations.{{ attribute.name | ident }} as varchar)
{% endfor %}
{% for number, name in counted %}
    left join sqlanon.table_values_{{ number }} as values_{{ number }}
        on values_{{ number }}.text is not distinct from cast(combinations.{{ name | ident }} as varchar)
{% endfor %}
)
