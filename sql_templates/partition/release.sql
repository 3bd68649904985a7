{#- inputs: title str, lines list[tuple[str, str]], attributes list[CutAttribute], places list[tuple[str, str]], dealt bool, combination str, key str, position str, place str, person str | None, row_number str, kept list[str], columns list[tuple[str, bool]], order str -#}
{% import "_release_header.sql" as header %}
{% set rows = "source_rows" if order == "sorted" else "numbered_rows" %}
{% import "partition/_lists.sql" as lists %}
{% import "partition/_places.sql" as lookups %}
{% set reads = ("dealt_rows, row_combinations" if dealt else "source_rows, value_places, class_cells") ~ ", class_labels" %}
{% if place %}
{{ header.person_rows(place, person, reads) -}}
{% else %}
{{ header.lines(title, lines) }}-- reads:   {{ reads }}
-- returns: one row per source row
{% if order == "sorted" %}
-- order:   by the published values alone; the order of the source could identify persons
{% else %}
-- order:   the order of the source, as the plan requires
{% endif %}
{% endif %}
{% if dealt %}
with {% else %}
{% if order == "source" %}
with numbered_rows as (
    -- one row per source row: its position in the source
    select *, row_number() over () as {{ row_number | ident }}
    from sqlanon.source_rows
),
{% endif %}
{{ "with " if order == "sorted" }}placed_rows as (
    -- one row per source row: its places in the order of each quasi-identifier
    select
{% for name in kept %}
        {{ rows }}.{{ name | ident }},
{% endfor %}
{% if order == "source" %}
        {{ rows }}.{{ row_number | ident }},
{% endif %}
{% for attribute in attributes %}
        {{ attribute.named("places") | ident }}.place as {{ places[loop.index0][1] | ident }}{{ "," if not loop.last }}
{% endfor %}
    from {{ "sqlanon." if order == "sorted" }}{{ rows }}
{{ lookups.lookup(attributes, rows, "    ") }}),
cell_classes as (
    -- one row per combination of places: the class that it is in
    select distinct
{% for attribute in attributes %}
        {{ attribute.place | ident }},
{% endfor %}
        class
    from sqlanon.class_cells
),
{% endif %}
classed_rows as (
{% if dealt %}
    -- one row per source row: the class that it was dealt to
    select
{% for name in kept %}
        row_combinations.{{ name | ident }},
{% endfor %}
        dealt_rows.bucket as {{ key | ident }}
    from sqlanon.dealt_rows
    inner join sqlanon.row_combinations
        on row_combinations.{{ combination | ident }} = dealt_rows.combination
{% else %}
    -- one row per source row: its class
    select
        placed_rows.*,
        cell_classes.class{{ " as " ~ (key | ident) if key != "class" }}
    from placed_rows
    inner join cell_classes
{{ lists.equal("cell_classes", "placed_rows", places, "        ") }}{% endif %}
)
select
{% if place %}
    class_labels.{{ position | ident }} as {{ place | ident }},
    classed_rows.{{ person | ident }},
{% endif %}
{% for name, is_quasi_identifier in columns %}
    {{ "class_labels" if is_quasi_identifier else "classed_rows" }}.{{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
from classed_rows
inner join sqlanon.class_labels
    on class_labels.{{ key | ident }} = classed_rows.{{ key | ident }}
{% if not place %}
order by
{% if order == "source" %}
    classed_rows.{{ row_number | ident }}
{% else %}
    class_labels.{{ position | ident }}{{ "," if kept }}
{% for name in kept %}
    classed_rows.{{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
{% endif %}
{% endif %}
