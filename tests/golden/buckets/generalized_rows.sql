-- generalized_rows: every row with the labels of its bucket's levels
-- reads:   bucketed_rows, bucket_nodes, hierarchy_of_age, hierarchy_of_zip
-- returns: one row per source row
--   bucket   number of the bucket
select
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
    bucketed_rows.disease,
    bucketed_rows.key_1,
    bucketed_rows.key_2,
    bucketed_rows.key_3,
    bucketed_rows.bucket
from sqlanon.bucketed_rows as bucketed_rows
inner join sqlanon.bucket_nodes as bucket_nodes on bucket_nodes.bucket = bucketed_rows.bucket
left join sqlanon.hierarchy_of_age as labels_1
    on labels_1.level_0 is not distinct from cast(bucketed_rows.age as varchar)
left join sqlanon.hierarchy_of_zip as labels_2
    on labels_2.level_0 is not distinct from cast(bucketed_rows.zip as varchar)
