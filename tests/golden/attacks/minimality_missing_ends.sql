-- attack_of_minimality_labels_10_missing_ends: whether the population can be what the labels tell
-- reads:   attack_of_minimality_labels_10
-- returns: one row: classes with ends of labels or rows that nobody of the population explains, and how many
select
    count(*) filter (where missing_ends > 0) as class_count,
    cast(coalesce(sum(missing_ends), 0) as bigint) as missing_ends
from sqlanon.attack_of_minimality_labels_10
