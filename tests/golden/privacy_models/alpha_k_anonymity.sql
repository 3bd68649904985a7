-- alpha_k_anonymity: every class has at least 2 persons, and no disease a share above
--   1
-- source:  Wong, Li, Fu and Wang 2006, (alpha, k)-anonymity
-- reads:   sqlanon.published_equivalence_classes,
--   sqlanon.published_class_values_of_disease of disease
-- returns: one row per equivalence class
--   largest_share   share of the most frequent value   [0 to 1]
--   class_size      persons in the class   [persons]
--   satisfied       class_size >= 2 and largest_share <= 1, compared
--                   exactly; never null
-- nulls:   a missing value is a value of its own
with value_shares as (
    select
        classes.history,
        min(classes.class_size) as class_size,
        max(class_values.value_count) as largest_count
    from sqlanon.published_class_values_of_disease as class_values
    inner join sqlanon.published_equivalence_classes as classes
        on classes.history is not distinct from class_values.history
    group by classes.history
)
select
    classes.history,
    cast(value_shares.largest_count as double) / value_shares.class_size as largest_share,
    classes.class_size,
    classes.class_size >= 2
        and value_shares.largest_count <= 1 * value_shares.class_size as satisfied
from sqlanon.published_equivalence_classes as classes
inner join value_shares
    on value_shares.history is not distinct from classes.history
