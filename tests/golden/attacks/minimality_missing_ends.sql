-- attack_of_minimality_labels_10_missing_ends: whether the population agrees with the labels
-- reads:   attack_of_minimality_labels_10_bounds
-- returns: one row: classes with ends of labels or rows that fit no person of the population, and
--   the number of such ends and rows
select
    count(*) filter (where missing_ends > 0) as class_count,
    cast(coalesce(sum(missing_ends), 0) as bigint) as missing_ends
from sqlanon.attack_of_minimality_labels_10_bounds
