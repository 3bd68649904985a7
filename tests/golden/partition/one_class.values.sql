-- one_class: the promises for all rows as one equivalence class, the most general publication;
--   a promise that fails here and is monotone under generalization fails for every publication
-- reads:   cells
-- returns: one row; for each promise its measure, whether it holds, and a lower bound on the rows
--   that no publication can keep (null if the promise gives none)
with all_cells as (
    select *, 1 as class
    from sqlanon.cells
),
class_values_1 as (
    -- rows of each class with each value of diagnosis
    select
        class,
        value_1 as value,
        cast(sum(row_count) as bigint) as value_count
    from all_cells
    group by class, value_1
),
classes as (
    select
        class,
        cast(sum(row_count) as bigint) as class_size
    from all_cells
    group by class
),
k_anonymity as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    --   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.class,
        classes.class_size,
        case
            when classes.class_size >= 5 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 5 as satisfied
    from classes as classes
),
l_diversity as (
    -- l_diversity_distinct: every class holds at least 3 different values of diagnosis
    -- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
    -- reads:   class_values_1, how often each value of diagnosis occurs in each class
    -- returns: one row per equivalence class
    --   diversity   different values   [values]
    --   satisfied   diversity >= 3; never null
    --   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
    --                 all rows of a failing class
    -- nulls:   a missing value is a value of its own
    select
        class_values.class,
        count(*) as diversity,
        case
            when count(*) >= 3 then 0
            else cast(sum(class_values.value_count) as bigint)
        end as excess_rows,
        count(*) >= 3 as satisfied
    from class_values_1 as class_values
    group by class_values.class
),
judged as (
    select
        k_anonymity.class_size as measure_1,
        k_anonymity.satisfied as satisfied_1,
        k_anonymity.excess_rows as excess_1,
        l_diversity.diversity as measure_2,
        l_diversity.satisfied as satisfied_2,
        l_diversity.excess_rows as excess_2
    from k_anonymity cross join l_diversity
)
select *
from judged
