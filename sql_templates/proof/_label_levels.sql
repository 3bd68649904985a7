{#- CTEs: the level of each attribute that its `published_labels` are of; `label_levels` -#}
known_labels as (
    select attribute, level, label
    from sqlanon.hierarchy_levels
    group by attribute, level, label
),
shared_labels as (
    select published_labels.attribute, known_labels.level, count(*) as label_count
    from published_labels
    inner join known_labels
        on known_labels.attribute = published_labels.attribute
        and known_labels.label is not distinct from published_labels.label
    group by published_labels.attribute, known_labels.level
),
label_levels as (
    -- the lowest level that contains all labels
    select shared_labels.attribute, min(shared_labels.level) as level
    from shared_labels
    where shared_labels.label_count = (
        select count(*)
        from published_labels
        where published_labels.attribute = shared_labels.attribute
    )
    group by shared_labels.attribute
)
