-- marketer_risk: linking with the population is right for at most a share of 0.2 of
--   rows
-- source:  El Emam 2013, Guide to the de-identification of personal health data
-- reads:   sqlanon.published_equivalence_classes, one row per equivalence class,
--   population_size included
-- returns: one row per equivalence class
--   marketer_risk  mean of 1 / population_size over the rows of this class and of classes
--                  with larger populations   [0 to 1]
--   satisfied      marketer_risk <= 0.2, within a tolerance of 1e-9; never null: if the
--                  risk of the whole table is too high, the classes of the smallest
--                  populations fail; of classes with equal populations the last by key
-- nulls:   a null quasi-identifier is a value of its own
with larger_classes as (
    select
        classes.age, classes.sex,
        sum(
            case
                when classes.population_size > 0
                    then cast(classes.class_size as double) / classes.population_size
                else cast('infinity' as double)
            end
        ) over larger
            / sum(classes.class_size) over larger as marketer_risk
    from sqlanon.published_equivalence_classes as classes
    window larger as (
        order by classes.population_size desc, classes.age, classes.sex
        rows between unbounded preceding and current row
    )
)
select
    larger_classes.age, larger_classes.sex,
    larger_classes.marketer_risk,
    larger_classes.marketer_risk <= 0.2 + 0.000000001 as satisfied
from larger_classes
