-- l_diversity_entropy: in every class diagnosis is as uncertain as 2.5 values of
--   equal frequency
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class, and sqlanon.classes
-- returns: one row per equivalence class
--   diversity   exp(entropy of the values), the effective number of values   [values]
--               0 if a person has several values in the class
--   satisfied   entropy >= ln(2.5), within a tolerance of 1e-9; never null
--               and no person has several values in the class
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 entropy is concave: a kept part with entropy ln(l) has at most the share
--                 entropy / ln(l) of the rows
-- nulls:   a missing value is a value of its own
with class_entropies as (
    select
        class_values.node, class_values.class_1,
        sum(class_values.value_count) as value_total,
        sum(class_values.value_count) > min(classes.class_size) as has_several,
        ln(sum(class_values.value_count))
            - sum(class_values.value_count * ln(class_values.value_count))
                / sum(class_values.value_count) as entropy
    from sqlanon.class_values_of_diagnosis as class_values
    inner join sqlanon.classes as classes
        on classes.node is not distinct from class_values.node
        and classes.class_1 is not distinct from class_values.class_1
    group by class_values.node, class_values.class_1
)
select
    class_entropies.node, class_entropies.class_1,
    case when class_entropies.has_several then 0
        else exp(class_entropies.entropy)
    end as diversity,
    case when class_entropies.has_several then 1
        when class_entropies.entropy >= ln(2.5) - 0.000000001 then 0
        else greatest(
            1,
            ceil(
                class_entropies.value_total
                    * (1 - class_entropies.entropy / (ln(2.5) - 0.000000001))
                    - 0.000001
            )
        )
    end as excess_rows,
    not class_entropies.has_several
        and class_entropies.entropy >= ln(2.5) - 0.000000001 as satisfied
from class_entropies
