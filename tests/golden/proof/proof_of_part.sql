-- proof_of_part_1: values of age, zip that the publication has more or less often than the rows
--   of the source do
-- reads:   published_rows, dealt_rows, row_combinations
-- returns: one row per combination of values; no row means
--   that the counts are equal
--   excess   published rows minus source rows   [rows]
-- nulls:   a missing value is a value of its own
select sum(sign) as excess
from (
    select
        cast(age as varchar) as value_1,
        cast(zip as varchar) as value_2,
        1 as sign
    from sqlanon.published_rows
    union all
    select
        cast(combinations.age as varchar),
        cast(combinations.zip as varchar),
        -1
    from sqlanon.dealt_rows as assigned_rows
    inner join sqlanon.row_combinations as combinations
        on combinations.combination = assigned_rows.combination
) as counted_rows
group by
    value_1,
    value_2
having sum(sign) <> 0
