{#- inputs: attributes list[tuple[int, int]] number top, class_key list[str], model_checks list[dict], masked bool, pruning bool, alone list[ModelCheck], rechecks list[ModelCheck], star_checks list[ModelCheck], values_counted list[ClassValues], unit bool, linked bool, population bool -#}
-- placed_classes: the classes that all passes make, and the rows that none of them places
--   Rows of several passes that have the same labels are one class.
-- reads:   placed_set
-- returns: one row per class; class 0 has the rows that no pass places
--   published    whether the class keeps every promise
--   class_size   its rows                               [rows]
{% if unit %}
--   members      its persons                            [persons]
{% endif %}
with node_rows as (
    select
        *,
        0 as node,
        dense_rank() over (order by {% for number, _ in attributes %}label_{{ number }}{{ ", " if not loop.last }}{% endfor %}) as class_1
    from sqlanon.placed_set
    where level_1 is not null
),
class_labels as (
    select
        class_1,
{% for number, _ in attributes %}
        max(level_{{ number }}) as level_{{ number }},
        min(label_{{ number }}) as label_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    from node_rows
    group by class_1
),
{% set counted_from = "node_rows" %}
{% set class = "class" %}
{% set counts_rows = true %}
{% include "_counted_classes.sql" %},
{% include "search/_decided_classes.sql" %}

select
    decided_classes.class_1 as class,
{% for number, _ in attributes %}
    class_labels.level_{{ number }},
    class_labels.label_{{ number }},
{% endfor %}
{% if unit %}
    classes.class_size as members,
{% endif %}
    decided_classes.class_size,
    decided_classes.published
from decided_classes
inner join class_labels on class_labels.class_1 = decided_classes.class_1
{% if unit %}
inner join classes on classes.class_1 = decided_classes.class_1
{% endif %}
union all
select
    0,
{% for _, top in attributes %}
    {{ top }},
    null,
{% endfor %}
{% if unit %}
    count(distinct person),
{% endif %}
    cast(sum(row_count) as bigint),
    false
from sqlanon.placed_set
where level_1 is null
having sum(row_count) > 0
