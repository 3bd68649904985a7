{#- inputs: attributes list[CutAttribute], dmin Decimal, dmax Decimal -#}
-- bucket_floors: the lowest level to which each column of each bucket must be generalized
-- source:  a label with b rows of the table among a persons has a mean probability of b / a, so
--   {{ dmin | number }} <= b / a <= {{ dmax | number }} must hold for every label (Lemma 1 of the thesis)
-- reads:   class_cells, label_places
-- returns: one row per bucket with rows
{% for attribute in attributes %}
--   {{ attribute.named("floor") }}, {{ attribute.named("ceiling") }}   levels of {{ attribute.name | comment }}
{% endfor %}
--   floor     lowest level at which this holds for all labels of the column
--   ceiling   lowest level at which the column has a single label; a higher one has no more effect
with label_counts as (
    -- one row per class, attribute and label: its rows, and its persons of the population
{% for attribute in attributes %}
    {{ "union all\n    " if not loop.first }}select
        class_cells.class,
        {{ attribute.number }} as attribute_number,
        label_places.level,
        sum(class_cells.row_count) as row_count,
        sum(class_cells.population_count) as person_count
    from sqlanon.class_cells
    inner join sqlanon.label_places
        on label_places.attribute_number = {{ attribute.number }}
        and label_places.place = class_cells.{{ attribute.place | ident }}
    group by class_cells.class, label_places.level, label_places.first_place
{% endfor %}
),
levels as (
    -- one row per class, attribute and level: has it one label? does every label do?
    select
        class,
        attribute_number,
        level,
        count(*) = 1 as is_alike,
        bool_and(
            row_count >= {{ dmin | number }} * person_count and row_count <= {{ dmax | number }} * person_count
        ) as could_do
    from label_counts
    group by class, attribute_number, level
)
select
    class as bucket,
{% for attribute in attributes %}
    min(level) filter (where attribute_number = {{ attribute.number }} and could_do) as {{ attribute.named("floor") | ident }},
{% endfor %}
{% for attribute in attributes %}
    min(level) filter (where attribute_number = {{ attribute.number }} and is_alike) as {{ attribute.named("ceiling") | ident }}{{ "," if not loop.last }}
{% endfor %}
from levels
where class in (select class from sqlanon.class_cells group by class having sum(row_count) > 0)
group by class
