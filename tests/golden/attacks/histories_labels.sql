-- histories_labels: the published labels as places
-- reads:   sqlanon.published_rows, label_ranges
-- returns: one row per attribute and label
--   attribute_number   of the quasi-identifier: 1 age, 2 zip
--   first_place, last_place   places of the first and the last value that the label covers
--                             null if it is not known what values the label covers
-- nulls:   a null label stands for missing values
with published_labels (attribute_number, attribute, label) as (
    select 1, 'age', cast(published_rows.age as varchar)
    from sqlanon.published_rows as published_rows
    group by cast(published_rows.age as varchar)
    union all select 2, 'zip', cast(published_rows.zip as varchar)
    from sqlanon.published_rows as published_rows
    group by cast(published_rows.zip as varchar)
)
select
    published_labels.attribute_number,
    published_labels.label,
    label_ranges.first_place,
    label_ranges.last_place
from published_labels
inner join sqlanon.label_ranges
    on label_ranges.attribute_number = published_labels.attribute_number
    and label_ranges.label is not distinct from published_labels.label
