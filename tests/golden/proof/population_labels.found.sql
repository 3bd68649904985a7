-- population_labels: the published label of each value of the population
-- reads:   hierarchy_levels, published_rows
-- returns: one row per attribute and value
--   the level of the publication is the lowest level that contains all its labels
with published_labels as (
    select 'the "age"' as attribute, cast("the ""age""" as varchar) as label
    from sqlanon.published_rows
    group by "the ""age"""
    union all select 'sex' as attribute, cast(sex as varchar) as label
    from sqlanon.published_rows
    group by sex
),
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
select hierarchy_levels.attribute, hierarchy_levels.value, hierarchy_levels.label
from sqlanon.hierarchy_levels
inner join label_levels
    on label_levels.attribute = hierarchy_levels.attribute
    and label_levels.level = hierarchy_levels.level
