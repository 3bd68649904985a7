{#- inputs: attributes list[CutAttribute], places list[str], dealt bool, combination str, key str, position str, row_number str, kept list[str], columns list[tuple[str, bool]], order str -#}
-- published: the rows of the publication, in a staging file until they are proven
-- reads:   {{ "dealt_rows, row_combinations" if dealt else "source_rows, value_places, class_cells" }}, published_classes
-- returns: one row per source row
{% if order == "sorted" %}
-- order:   by the published values alone; the order of the source could identify persons
{% else %}
-- order:   the order of the source, as the plan requires
{% endif %}
{% if dealt %}
with {% else %}
with placed_rows as (
    -- every row with its places; earlier proofs showed that every value has a place
    select
{% for name in kept %}
        source_rows.{{ name | ident }},
{% endfor %}
{% if order == "source" %}
        source_rows.{{ row_number | ident }},
{% endif %}
{% for attribute in attributes %}
        places_{{ attribute.number }}.place as {{ places[loop.index0] | ident }}{{ "," if not loop.last }}
{% endfor %}
{% if order == "source" %}
    from (
        select *, row_number() over () as {{ row_number | ident }}
        from sqlanon.source_rows
    ) as source_rows
{% else %}
    from sqlanon.source_rows as source_rows
{% endif %}
{% for attribute in attributes %}
    left join sqlanon.value_places as places_{{ attribute.number }}
        on places_{{ attribute.number }}.attribute_number = {{ attribute.number }}
        and places_{{ attribute.number }}.value is not distinct from cast(source_rows.{{ attribute.name | ident }} as varchar)
{% endfor %}
),
combination_classes as (
    select distinct
{% for attribute in attributes %}
        place_{{ attribute.number }},
{% endfor %}
        class
    from sqlanon.class_cells
),
{% endif %}
classed_rows as (
{% if dealt %}
    -- the rows have been dealt to classes
    select
{% for name in kept %}
        combinations.{{ name | ident }},
{% endfor %}
        dealt_rows.bucket as {{ key | ident }}
    from sqlanon.dealt_rows as dealt_rows
    inner join sqlanon.row_combinations as combinations
        on combinations.{{ combination | ident }} = dealt_rows.combination
{% else %}
    select
        placed_rows.*,
        combinations.class as {{ key | ident }}
    from placed_rows
    inner join combination_classes as combinations
{% for attribute in attributes %}
        {{ "on" if loop.first else "and" }} combinations.place_{{ attribute.number }} = placed_rows.{{ places[loop.index0] | ident }}
{% endfor %}
{% endif %}
)
select
{% for name, is_quasi_identifier in columns %}
    {{ "published_classes" if is_quasi_identifier else "classed_rows" }}.{{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
from classed_rows
inner join sqlanon.published_classes as published_classes
    on published_classes.{{ key | ident }} = classed_rows.{{ key | ident }}
order by
{% if order == "source" %}
    classed_rows.{{ row_number | ident }}
{% else %}
    published_classes.{{ position | ident }}{{ "," if kept }}
{% for name in kept %}
    classed_rows.{{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
{% endif %}
