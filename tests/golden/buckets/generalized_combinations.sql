-- generalized_combinations: the distinct rows with the labels at the levels of their bucket
-- reads:   row_combinations, bucketed_rows, bucket_nodes, hierarchy_of_age, hierarchy_of_zip
-- returns: one row per distinct row: its number and its values
with combination_buckets as (
    -- one row per distinct row: its bucket; equal quasi-identifiers are in the same one
    select distinct combination, bucket
    from sqlanon.bucketed_rows
)
select
    row_combinations.combination,
    case bucket_nodes.level_of_age
        when 0 then labels_of_age.level_0
        when 1 then labels_of_age.level_1
        when 2 then labels_of_age.level_2
    end as age,
    case bucket_nodes.level_of_zip
        when 0 then labels_of_zip.level_0
        when 1 then labels_of_zip.level_1
        when 2 then labels_of_zip.level_2
    end as zip,
    row_combinations.disease
from sqlanon.row_combinations
inner join combination_buckets
    on combination_buckets.combination = row_combinations.combination
inner join sqlanon.bucket_nodes
    on bucket_nodes.bucket = combination_buckets.bucket
left join sqlanon.hierarchy_of_age as labels_of_age
    on labels_of_age.level_0
        is not distinct from cast(row_combinations.age as varchar)
left join sqlanon.hierarchy_of_zip as labels_of_zip
    on labels_of_zip.level_0
        is not distinct from cast(row_combinations.zip as varchar)
