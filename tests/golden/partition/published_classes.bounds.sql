-- published_classes: the published labels of the rows of each class
-- reads:   class_labels, value_places
-- returns: one row per class
--   position   position of the class in the publication, by its labels
--   the "age"_lo, the "age"_hi   ends of the label without missing values
--   born_lo, born_hi   ends of the label without missing values
with labels as (
    select
        class as class,
        max(label) filter (where attribute_number = 1) as "the ""age""",
        max(label) filter (where attribute_number = 2) as born,
        max(label) filter (where attribute_number = 3) as "tôwn",
        max(label) filter (where attribute_number = 4) as "select",
        max(lowest_place) filter (where attribute_number = 1) as "the ""age""_lo",
        max(highest_place) filter (where attribute_number = 1) as "the ""age""_hi",
        max(lowest_place) filter (where attribute_number = 2) as born_lo,
        max(highest_place) filter (where attribute_number = 2) as born_hi
    from sqlanon.class_labels
    group by class
)
select
    labels.class,
    dense_rank() over (
        order by
            labels."the ""age""",
            labels.born,
            labels."tôwn",
            labels."select"
    ) as "position",
    labels."the ""age""",
    labels.born,
    labels."tôwn",
    labels."select",
    cast(lowest_1.value as double) as "the ""age""_lo",
    cast(highest_1.value as double) as "the ""age""_hi",
    cast(lowest_2.value as timestamp) as born_lo,
    cast(highest_2.value as timestamp) as born_hi
from labels
left join sqlanon.value_places as lowest_1
    on lowest_1.attribute_number = 1
    and lowest_1.place = labels."the ""age""_lo"
left join sqlanon.value_places as highest_1
    on highest_1.attribute_number = 1
    and highest_1.place = labels."the ""age""_hi"
left join sqlanon.value_places as lowest_2
    on lowest_2.attribute_number = 2
    and lowest_2.place = labels.born_lo
left join sqlanon.value_places as highest_2
    on highest_2.attribute_number = 2
    and highest_2.place = labels.born_hi
