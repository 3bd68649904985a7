{#- inputs: attributes list[CutAttribute], places list[str], columns list[str], keys list[str] -#}
-- bucketed_rows: every row with the bucket that its values lie in
-- reads:   keyed_rows, value_places, class_cells
-- returns: one row per source row
--   bucket   number of the bucket, from 1
with placed_rows as (
    -- every row with its places; every value has one, as the proofs before showed
    select
{% for name in columns %}
        keyed_rows.{{ name | ident }},
{% endfor %}
{% for key in keys %}
        keyed_rows.{{ key | ident }},
{% endfor %}
{% for attribute in attributes %}
        places_{{ attribute.number }}.place as {{ places[loop.index0] | ident }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.keyed_rows as keyed_rows
{% for attribute in attributes %}
    left join sqlanon.value_places as places_{{ attribute.number }}
        on places_{{ attribute.number }}.attribute_number = {{ attribute.number }}
        and places_{{ attribute.number }}.value is not distinct from cast(keyed_rows.{{ attribute.name | ident }} as varchar)
{% endfor %}
),
combination_classes as (
    select distinct {% for attribute in attributes %}place_{{ attribute.number }}, {% endfor %}class
    from sqlanon.class_cells
)
select
{% for name in columns %}
    placed_rows.{{ name | ident }},
{% endfor %}
{% for key in keys %}
    placed_rows.{{ key | ident }},
{% endfor %}
    combinations.class as bucket
from placed_rows
inner join combination_classes as combinations
{% for attribute in attributes %}
    {{ "on" if loop.first else "and" }} combinations.place_{{ attribute.number }} = placed_rows.{{ places[loop.index0] | ident }}
{% endfor %}
