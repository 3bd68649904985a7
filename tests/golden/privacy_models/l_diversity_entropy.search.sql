-- l_diversity_entropy: in every class diagnosis is as uncertain as 2.5 values of
--   equal frequency
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class
-- returns: one row per equivalence class
--   diversity   exp(entropy of the values), the effective number of values   [values]
--   satisfied   entropy >= ln(2.5), within a tolerance of 1e-9; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 entropy is concave: a kept part with entropy ln(l) has at most the share
--                 entropy / ln(l) of the rows
-- nulls:   a missing value is a value of its own
with class_entropies as (
    select
        class_values.node, class_values.class_1,
        sum(class_values.value_count) as value_total,
        ln(sum(class_values.value_count))
            - sum(class_values.value_count * ln(class_values.value_count))
                / sum(class_values.value_count) as entropy
    from sqlanon.class_values_of_diagnosis as class_values
    group by class_values.node, class_values.class_1
)
select
    class_entropies.node, class_entropies.class_1,
    exp(class_entropies.entropy) as diversity,
    case when class_entropies.entropy >= ln(2.5) - 0.000000001 then 0
        else greatest(
            1,
            ceil(
                class_entropies.value_total
                    * (1 - class_entropies.entropy / (ln(2.5) - 0.000000001))
                    - 0.000001
            )
        )
    end as excess_rows,
    class_entropies.entropy >= ln(2.5) - 0.000000001 as satisfied
from class_entropies
