-- published_classes: the published labels of the rows of each class
-- reads:   decided_classes, chosen_node, generalized_values
-- returns: one row per class that is published, or masked with '*'
--   position   position of the class in the publication, by its labels; 0 for masked rows
with node_masks as (
    select
        max(mask) filter (where attribute = 'the "age"') as mask_of_1,
        max(mask) filter (where attribute = 'born') as mask_of_2,
        max(mask) filter (where attribute = 'zip') as mask_of_3,
        max(mask) filter (where attribute = 'select') as mask_of_4,
        max(mask) filter (where attribute = 'longitude') as mask_of_5,
        max(mask) filter (where attribute = 'tôwn') as mask_of_6,
        max(mask) filter (where attribute = 'work') as mask_of_7,
        max(mask) filter (where attribute = 'sex') as mask_of_8
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
        decided_classes.class_1 as class_1_,
        decided_classes.class_2 as class_2,
        decided_classes.published as published,
        labels_1.label as "the ""age""",
        labels_2.label as born,
        labels_3.label as zip,
        labels_4.label as "select",
        labels_5.label as longitude,
        labels_6.label as "tôwn",
        labels_7.label as work,
        labels_8.label as sex
    from sqlanon.decided_classes as decided_classes
    cross join node_masks
    left join chosen_labels as labels_1
        on labels_1.attribute = 'the "age"'
        and labels_1.code
            = decided_classes.class_1 & node_masks.mask_of_1
    left join chosen_labels as labels_2
        on labels_2.attribute = 'born'
        and labels_2.code
            = decided_classes.class_1 & node_masks.mask_of_2
    left join chosen_labels as labels_3
        on labels_3.attribute = 'zip'
        and labels_3.code
            = decided_classes.class_1 & node_masks.mask_of_3
    left join chosen_labels as labels_4
        on labels_4.attribute = 'select'
        and labels_4.code
            = decided_classes.class_1 & node_masks.mask_of_4
    left join chosen_labels as labels_5
        on labels_5.attribute = 'longitude'
        and labels_5.code
            = decided_classes.class_1 & node_masks.mask_of_5
    left join chosen_labels as labels_6
        on labels_6.attribute = 'tôwn'
        and labels_6.code
            = decided_classes.class_1 & node_masks.mask_of_6
    left join chosen_labels as labels_7
        on labels_7.attribute = 'work'
        and labels_7.code
            = decided_classes.class_1 & node_masks.mask_of_7
    left join chosen_labels as labels_8
        on labels_8.attribute = 'sex'
        and labels_8.code
            = decided_classes.class_2 & node_masks.mask_of_8
)
select
    class_1_,
    class_2,
    case when published then row_number() over (
        order by
            published desc,
            "the ""age""",
            born,
            zip,
            "select",
            longitude,
            "tôwn",
            work,
            sex
    ) else 0 end as "position",
    case when published then "the ""age""" else '*' end as "the ""age""",
    case when published then born else '*' end as born,
    case when published then zip else '*' end as zip,
    case when published then "select" else '*' end as "select",
    case when published then longitude else '*' end as longitude,
    case when published then "tôwn" else '*' end as "tôwn",
    case when published then work else '*' end as work,
    case when published then sex else '*' end as sex
from class_labels
