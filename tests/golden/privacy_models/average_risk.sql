-- average_risk: the chance to identify the person of a row is at most 1 on average
-- source:  El Emam 2013, Guide to the de-identification of personal health data
-- reads:   sqlanon.published_equivalence_classes, one row per equivalence class
-- returns: one row per equivalence class
--   average_risk  classes / persons, for this class and the larger ones   [0 to 1]
--   satisfied     average_risk <= 1, compared exactly; never null: if the risk
--                 of the whole table is too high, the smallest classes fail; of classes
--                 of equal size the last by key
-- nulls:   a null quasi-identifier is a value of its own
with larger_classes as (
    select
        classes.history,
        count(*) over larger as class_count,
        cast(sum(classes.class_size) over larger as bigint) as row_count
    from sqlanon.published_equivalence_classes as classes
    window larger as (
        order by classes.class_size desc, classes.history
        rows between unbounded preceding and current row
    )
)
select
    larger_classes.history,
    cast(larger_classes.class_count as double) / larger_classes.row_count as average_risk,
    larger_classes.class_count <= 1 * larger_classes.row_count as satisfied
from larger_classes
