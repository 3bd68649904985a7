-- generalized_combinations: the distinct rows with the labels at the levels of their bucket
-- reads:   row_combinations, bucketed_rows, bucket_nodes, hierarchy_of_age, hierarchy_of_zip
-- returns: one row per distinct row: its number and its values
with combination_buckets as (
    -- equal quasi-identifiers are in the same bucket
    select distinct combination, bucket
    from sqlanon.bucketed_rows
)
select
    combinations.combination,
    case bucket_nodes.level_1
        when 0 then labels_1.level_0
        when 1 then labels_1.level_1
        when 2 then labels_1.level_2
    end as age,
    case bucket_nodes.level_2
        when 0 then labels_2.level_0
        when 1 then labels_2.level_1
        when 2 then labels_2.level_2
    end as zip,
    combinations.disease
from sqlanon.row_combinations as combinations
inner join combination_buckets
    on combination_buckets.combination = combinations.combination
inner join sqlanon.bucket_nodes as bucket_nodes
    on bucket_nodes.bucket = combination_buckets.bucket
left join sqlanon.hierarchy_of_age as labels_1
    on labels_1.level_0 is not distinct from cast(combinations.age as varchar)
left join sqlanon.hierarchy_of_zip as labels_2
    on labels_2.level_0 is not distinct from cast(combinations.zip as varchar)
