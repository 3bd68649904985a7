-- prosecutor_risk: a person known to be in the table is found with a chance of at
--   most 0.2, in all but a share of 0.05 of the rows
-- source:  El Emam 2013, Guide to the de-identification of personal health data
-- reads:   sqlanon.classes, one row per equivalence class
-- returns: one row per equivalence class
--   highest_risk  1 / class_size   [0 to 1]
--   risky_share   share of rows with a risk above 0.2 in this class and
--                 the classes of lower risk   [0 to 1]
--   satisfied     risky_share <= 0.05, compared exactly; never null: if the share
--                 of the whole table is too high, the classes of the highest risk fail; of
--                 classes with equal risk the last by key
-- nulls:   a null quasi-identifier is a value of its own
with larger_classes as (
    select
        classes."the ""age""", classes.sex,
        classes.class_size,
        cast(
            sum(
                case
                    when 0.2 * classes.class_size < 1 then classes.class_size
                    else 0
                end
            ) over larger as bigint
        )
            as risky_rows,
        cast(sum(classes.class_size) over larger as bigint) as row_count
    from sqlanon.classes as classes
    window larger as (
        order by classes.class_size desc, classes."the ""age""", classes.sex
        rows between unbounded preceding and current row
    )
)
select
    larger_classes."the ""age""", larger_classes.sex,
    1.0 / cast(larger_classes.class_size as double) as highest_risk,
    cast(larger_classes.risky_rows as double) / larger_classes.row_count as risky_share,
    larger_classes.risky_rows <= 0.05 * larger_classes.row_count as satisfied
from larger_classes
