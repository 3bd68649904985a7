-- attack_of_intersection_12_uniqueness: the largest m for which all releases are m-unique
-- source:  Xiao and Tao 2007, m-invariance, SIGMOD
-- reads:   attack_of_intersection_12_earlier_values, attack_of_intersection_12_later_values
-- returns: one row
--   largest_m   rows of the smallest class if no class contains a value twice; else 0   [rows]
select
    case when max(classes.largest_count) = 1 then min(classes.class_size) else 0 end as largest_m
from (
    select
        cast(sum(counts.value_count) as bigint) as class_size,
        max(counts.value_count) as largest_count
    from sqlanon.attack_of_intersection_12_earlier_values as counts
    group by counts.age, counts.zip
    union all select
        cast(sum(counts.value_count) as bigint) as class_size,
        max(counts.value_count) as largest_count
    from sqlanon.attack_of_intersection_12_later_values as counts
    group by counts.age, counts.zip
) as classes
