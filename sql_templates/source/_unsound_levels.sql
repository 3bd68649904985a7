{#- what both checks of hierarchies look for: labels with several labels above them, and top levels -#}
parted_labels as (
    select attribute, level, label
    from sqlanon.hierarchy_levels
    where label is not null
    group by attribute, level, label
    having count(distinct coarser_label) > 1
),
top_levels as (
    select attribute, max(level) as level
    from sqlanon.hierarchy_levels
    group by attribute
),
