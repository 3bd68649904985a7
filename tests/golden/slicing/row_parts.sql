-- row_parts: the quasi-identifiers of every distinct row, as numbers of parts
--   part_1   age
--   part_2   zip
-- reads:   row_combinations
-- returns: one row per distinct row of the source; equal parts have equal numbers
-- nulls:   a missing value is a value of its own
select
    row_combinations.combination,
    dense_rank() over (
        order by
            row_combinations.age
    ) as part_1,
    dense_rank() over (
        order by
            row_combinations.zip
    ) as part_2
from sqlanon.row_combinations
