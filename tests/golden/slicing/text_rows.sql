-- bucketed_text: the rows of the buckets as text, regardless of their types
-- reads:   sqlanon.bucketed_rows, row_combinations
-- returns: one row per row
select
    cast(row_combinations.age as varchar) as age, cast(row_combinations.zip as varchar) as zip,
    cast(row_combinations.disease as varchar) as disease, bucketed.bucket
from sqlanon.bucketed_rows as bucketed
inner join sqlanon.row_combinations
    on row_combinations.combination = bucketed.combination
