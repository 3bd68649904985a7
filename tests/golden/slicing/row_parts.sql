-- row_parts: the quasi-identifiers of every distinct row, as numbers of parts
--   part_1   age
--   part_2   zip
-- reads:   row_combinations
-- returns: one row per distinct row of the source; equal parts have equal numbers
-- nulls:   a missing value is a value of its own
with different_1 (value_1, part) as (
    -- one row per part: to sort these takes less time than to rank all rows
    select age, row_number() over (order by age)
    from sqlanon.row_combinations
    group by age
),
different_2 (value_1, part) as (
    -- one row per part: to sort these takes less time than to rank all rows
    select zip, row_number() over (order by zip)
    from sqlanon.row_combinations
    group by zip
)

select
    row_combinations.combination,
    different_1.part as part_1,
    different_2.part as part_2
from sqlanon.row_combinations
inner join different_1
    on different_1.value_1 is not distinct from row_combinations.age
inner join different_2
    on different_2.value_1 is not distinct from row_combinations.zip
