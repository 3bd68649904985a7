-- equal_pairs: how many pairs of rows are equal in columns about persons, in the sample
-- reads:   sampled_rows
-- returns: one row: pairs of rows   [pairs]
-- nulls:   rows without one of the values are in no pair
select coalesce(sum(row_count * (row_count - 1) // 2), 0) as pairs
from (
    select count(*) as row_count
    from sqlanon.sampled_rows
    where
        column_1 is not null
        and column_2 is not null
        and column_3 is not null
    group by column_1, column_2, column_3
) as groups
