-- frequency_sets_of_2: frequency sets for 1 subsets of 2 quasi-identifiers, at the finest
--   levels that are still of interest; all other quasi-identifiers are at their top level
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
cross join sqlanon.frequency_set
group by
    subsets.subset,
    frequency_set.key_1 & subsets.mask_1
