{#- CTE `decided_classes`: the classes of `class_cells`, as readers tell them apart -#}
{% set size = "count(distinct class_cells.person)" if unit else "cast(sum(class_cells.row_count) as bigint)" %}
{% set class = "class_labels." ~ (position | ident) if position else "class_cells.class" %}
{{ "sized_kinds" if kinds else "decided_classes" }} as (
{% if position %}
    -- classes with the same labels are one class to a reader
{% endif %}
    select 0 as node, {{ class }} as class_1, {{ size }} as class_size, true as published
    from sqlanon.class_cells
{% if position %}
    inner join sqlanon.class_labels on class_labels.{{ key | ident }} = class_cells.class
{% endif %}
    group by {{ class }}
    having sum(class_cells.row_count) > 0
{% if kinds %}
),
decided_classes as (
    -- every bucket is as large as the others of its kind
    select sized_kinds.*
    from sized_kinds
    inner join sqlanon.bucket_kinds on bucket_kinds.class = sized_kinds.class_1
{% endif %}
)
