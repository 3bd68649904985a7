-- published_classes: the published labels of the rows of each class
-- reads:   class_labels
-- returns: one row per class
--   position   position of the class in the publication, by its labels
with labels as (
    select
        class as class,
        max(label) filter (where attribute_number = 1) as "the ""age""",
        max(label) filter (where attribute_number = 2) as born,
        max(label) filter (where attribute_number = 3) as "tôwn",
        max(label) filter (where attribute_number = 4) as "select"
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
    labels."select"
from labels
