-- one_class: the promises for all rows as one equivalence class, the most general publication;
--   a promise that fails here and is monotone under generalization fails for every publication
-- reads:   cells
-- returns: one row; for each promise its measure, whether it holds, and a lower bound on the rows
--   that no publication can keep (null if the promise gives none)
with all_cells as (
    -- the cells, all in one class
    select *, 1 as class
    from sqlanon.cells
),
classes as (
    -- rows of each class
    select class, cast(sum(row_count) as bigint) as class_size
    from all_cells
    group by class
),
k_anonymity as (
    -- one row per class: whether it holds k-anonymity
    select
        classes.class,
        classes.class_size,
        case
            when classes.class_size >= 5 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 5 as satisfied
    from classes
),
judged as (
    -- one row: the checks of the models side by side
    select
        k_anonymity.class_size as measure_1,
        k_anonymity.satisfied as satisfied_1,
        k_anonymity.excess_rows as excess_1
    from k_anonymity
)
select *
from judged
