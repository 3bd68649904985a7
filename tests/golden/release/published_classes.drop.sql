-- published_classes: the published labels of the rows of each class
-- reads:   decided_classes, chosen_node, generalized_values
-- returns: one row per class that is published
--   position   position of the class in the publication, by its labels
with node_masks as (
    select
        max(mask) filter (where attribute = 'the "age"') as mask_of_1,
        max(mask) filter (where attribute = 'sex') as mask_of_2
    from sqlanon.chosen_node
),
chosen_labels as (
    -- one row per attribute and label of the chosen levels
    select generalized_values.attribute, generalized_values.code, generalized_values.label
    from sqlanon.generalized_values as generalized_values
    inner join sqlanon.chosen_node as chosen_node
        on chosen_node.attribute = generalized_values.attribute
        and chosen_node.level = generalized_values.level
),
class_labels as (
    select
        decided_classes.class_1 as class_1,
        decided_classes.published as published,
        labels_1.label as "the ""age""",
        labels_2.label as sex
    from sqlanon.decided_classes as decided_classes
    cross join node_masks
    left join chosen_labels as labels_1
        on labels_1.attribute = 'the "age"'
        and labels_1.code
            = decided_classes.class_1 & node_masks.mask_of_1
    left join chosen_labels as labels_2
        on labels_2.attribute = 'sex'
        and labels_2.code
            = decided_classes.class_1 & node_masks.mask_of_2
    where decided_classes.published
)
select
    class_1,
    row_number() over (
        order by
            "the ""age""",
            sex
    ) as "position",
    "the ""age""",
    sex
from class_labels
