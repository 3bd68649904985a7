-- bucketed_text: the rows of the buckets as text, regardless of their types
-- reads:   sqlanon.bucketed_rows, row_combinations
-- returns: one row per row
select
    cast(combinations.age as varchar) as age,
    cast(combinations.zip as varchar) as zip,
    cast(combinations.disease as varchar) as disease,
    bucketed.bucket
from sqlanon.bucketed_rows as bucketed
inner join sqlanon.row_combinations as combinations
    on combinations.combination = bucketed.combination
