{#- inputs: attributes list[CutAttribute], intervals list[Interval], pieces list[tuple[int, int, int, int]] split attribute first last, class_key list[str], carried list[str], unit bool, population bool, needs_cover bool, model_checks list[ModelCheck], values_counted list[ClassValues] -#}
{% import "partition/_columns.sql" as columns with context %}
{% import "partition/_lists.sql" as lists %}
-- tried_splits: whether the promises hold if one of these cuts is made of a whole attribute
-- reads:   cells, places
-- returns: one row per split
--   holds     true if every promise holds in every class that the split makes
--   measured  measure of the first promise for these classes
with intervals (attribute_number, first_place, last_place) as (
    -- the intervals of all attributes before the split
    values
{% for number, first, last in intervals %}
        ({{ number }}, {{ first }}, {{ last }}){{ "," if not loop.last }}
{% endfor %}
),
pieces (split, attribute_number, first_place, last_place) as (
    -- one row per split and interval that it makes of one of them
    values
{% for split, number, first, last in pieces %}
        ({{ split }}, {{ number }}, {{ first }}, {{ last }}){{ "," if not loop.last }}
{% endfor %}
),
place_intervals as (
    -- one row per attribute and place: the first place of its interval
    select places.attribute_number, places.place, intervals.first_place
    from sqlanon.places
    inner join intervals
        on intervals.attribute_number = places.attribute_number
        and places.place between intervals.first_place and intervals.last_place
),
split_cells as (
    -- one row per split and cell of the interval that it cuts: its intervals after the split
    select
        pieces.split,
{% for attribute in attributes %}
        case
            when pieces.attribute_number = {{ attribute.number }} then pieces.first_place
            else {{ attribute.named("intervals") | ident }}.first_place
        end as {{ attribute.named("first_place") | ident }},
{% endfor %}
        {{ columns.counts("cells.row_count", "cells.") | indent(8) }}
    from sqlanon.cells
{% for attribute in attributes %}
    inner join place_intervals as {{ attribute.named("intervals") | ident }}
        on {{ attribute.named("intervals") | ident }}.attribute_number = {{ attribute.number }}
        and {{ attribute.named("intervals") | ident }}.place = cells.{{ attribute.place | ident }}
{% endfor %}
    inner join pieces
        on case pieces.attribute_number
{% for attribute in attributes %}
            when {{ attribute.number }} then cells.{{ attribute.place | ident }}
{% endfor %}
        end between pieces.first_place and pieces.last_place
),
{% set counted_from = "split_cells" %}
{% include "partition/_judged_classes.sql" %}
{% set first = model_checks | first %}
{% if population and needs_cover %}
empty_classes as (
    -- splits that leave persons of the population without a class
    select split
    from split_cells
{{ lists.group_by(class_key) }}    having sum(row_count) = 0
),
{% endif %}
judged_splits as (
    -- one row per split
    select
        classes.split,
        bool_and(
{% for model_check in model_checks %}
            {{ "and " if not loop.first }}coalesce({{ model_check.name }}.satisfied, false)
{% endfor %}
        ) as holds,
        {{ first.model.deciding_measure[1] }}(cast({{ first.name }}.{{ first.model.deciding_measure[0] | ident }} as double)) as measured
    from classes
{% for model_check in model_checks %}
    left join {{ model_check.name }}
{% for column in class_key %}
        {{ "on" if loop.first else "and" }} {{ model_check.name }}.{{ column }} = classes.{{ column }}
{% endfor %}
{% endfor %}
    group by classes.split
)
select
    split,
{% if population and needs_cover %}
    holds and not exists (
        select 1
        from empty_classes
        where empty_classes.split = judged_splits.split
    ) as holds,
{% else %}
    holds,
{% endif %}
    coalesce(measured, 0) as measured
from judged_splits
order by split
