{#- inputs: attributes list[CutAttribute], counted list[tuple[int, str]], names dict[str, str] -#}
-- class_cells: what the buckets are made of
-- reads:   dealt_rows, row_combinations{{ ", value_places" if attributes }}{% for number, name in counted %}, table_values_{{ number }}{% endfor %}

-- returns: one row per bucket and distinct combination of these values
--   class       number of the bucket
--   row_count   its rows with them   [rows]
with coded_combinations as (
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
select
    dealt_rows.bucket as class,
{% for attribute in attributes %}
    coded_combinations.place_{{ attribute.number }},
{% endfor %}
{% for number, name in counted %}
    coded_combinations.value_{{ number }},
{% endfor %}
    count(*) as row_count
from sqlanon.dealt_rows as dealt_rows
inner join coded_combinations on coded_combinations.combination = dealt_rows.combination
group by
    dealt_rows.bucket{% for attribute in attributes %},
    coded_combinations.place_{{ attribute.number }}{% endfor %}{% for number, name in counted %},
    coded_combinations.value_{{ number }}{% endfor %}

