-- frequency_sets_of_2: a frequency set for each of 1 subsets of 2 quasi-identifiers
--   all other quasi-identifiers at their top, these at the finest levels still worth asking about
-- reads:   frequency_set
-- returns: one row per subset and distinct combination
with subsets (
    subset, mask_1
) as (
    values
        (0, 130)
)
select
    subsets.subset,
    frequency_set.key_1 & subsets.mask_1 as key_1,
    cast(sum(frequency_set.row_count) as bigint) as row_count
from subsets
cross join sqlanon.frequency_set as frequency_set
group by
    subsets.subset,
    frequency_set.key_1 & subsets.mask_1
