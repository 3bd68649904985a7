-- ambiguous_labels: labels that stand for some values at one level and for others at another one.
--   Each bucket has levels of its own, so such a label would not say which values it stands for
-- reads:   hierarchy_levels, source_values
-- returns: one row per attribute that has such labels
--   label_count   such labels   [labels]
-- nulls:   a null is a value of its own; its label below the top stands for nothing else
with known_labels as (
    select hierarchy_levels.*
    from sqlanon.hierarchy_levels
    inner join sqlanon.source_values
        on source_values.attribute = hierarchy_levels.attribute
        and source_values.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.label is not null
),
levels_of_labels as (
    select attribute_number, attribute, label, level, count(*) as value_count
    from known_labels
    group by attribute_number, attribute, label, level
),
labeled_values as (
    select distinct attribute_number, label, value
    from known_labels
),
labels as (
    select attribute_number, label, count(*) as value_count
    from labeled_values
    group by attribute_number, label
)
select levels_of_labels.attribute, count(distinct labels.label) as label_count
from levels_of_labels
inner join labels
    on labels.attribute_number = levels_of_labels.attribute_number
    and labels.label = levels_of_labels.label
where levels_of_labels.value_count < labels.value_count
group by levels_of_labels.attribute_number, levels_of_labels.attribute
order by levels_of_labels.attribute_number
