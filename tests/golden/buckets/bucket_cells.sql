-- class_cells: the contents of the buckets
-- reads:   dealt_rows, row_combinations, table_values_of_disease
-- returns: one row per bucket and distinct combination of these values
--   class       number of the bucket
--   row_count   rows of the bucket with these values   [rows]
with coded_combinations as (
    -- one row per distinct row: the codes of its values
    select
        row_combinations.combination,
        values_of_disease.value as value_of_disease
    from sqlanon.row_combinations
    left join sqlanon.table_values_of_disease as values_of_disease
        on values_of_disease.text
            is not distinct from cast(row_combinations.disease as varchar)
)
select
    dealt_rows.bucket as class,
    coded_combinations.value_of_disease,
    count(*) as row_count
from sqlanon.dealt_rows
inner join coded_combinations on coded_combinations.combination = dealt_rows.combination
group by
    dealt_rows.bucket,
    coded_combinations.value_of_disease
