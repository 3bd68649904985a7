-- special_uniques: no row is alone on one quasi-identifier, whichever is known
-- source:  Elliot, Manning and Ford 2002, a computational algorithm for special uniques
-- reads:   sqlanon.published_equivalence_classes, one row per equivalence class
-- returns: one row per equivalence class
--   unique_sets  sets of 1 quasi-identifier on which the class is a single row   [sets]
--   satisfied    unique_sets = 0; never null
-- nulls:   a null quasi-identifier is a value of its own
with labeled_classes as (
    select
        classes.age, classes.sex,
        classes.class_size,
        classes.age as label_1,
        classes.sex as label_2,
        row_number() over (order by classes.age, classes.sex) as class_place
    from sqlanon.published_equivalence_classes as classes
),
-- of each set of labels, the classes that are a single row; who is alone on fewer is one
lone_cells as (
    select min(class_place) as class_place from labeled_classes
    group by label_1 having sum(class_size) = 1
    union all select min(class_place) as class_place from labeled_classes
    group by label_2 having sum(class_size) = 1
),
lone_classes as (
    select class_place, count(*) as set_count
    from lone_cells
    group by class_place
)
select
    labeled_classes.age, labeled_classes.sex,
    coalesce(lone_classes.set_count, 0) as unique_sets,
    lone_classes.set_count is null as satisfied
from labeled_classes
left join lone_classes on lone_classes.class_place = labeled_classes.class_place
