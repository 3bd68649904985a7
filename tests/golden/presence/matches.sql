-- presence_matches_1: the buckets that contain a person's values of column group 1
-- reads:   sqlanon.presence_combinations, sqlanon.presence_values_1, sqlanon.hierarchy_levels
--   age: published as it is, or as a label of any level of its hierarchy
-- returns: one row per person's values and published value that they match
--   combination_count   combinations of the population with these values
-- nulls:   a null value matches a null label
with own_values as (
    select text_1, count(*) as combination_count
    from sqlanon.presence_combinations
    group by text_1
),
labels (attribute, value, label) as (
    select attribute, value, label
    from sqlanon.hierarchy_levels
    union
    -- a value is also a label of itself, even if no hierarchy contains it
    select 'age', text_1, text_1
    from own_values
)
select
    own_values.text_1,
    own_values.combination_count,
    published.bucket,
    published.value
from own_values
inner join labels as labels_1
    on labels_1.attribute = 'age'
    and labels_1.value is not distinct from own_values.text_1
inner join sqlanon.presence_values_1 as published
    on published.label_1 is not distinct from labels_1.label
