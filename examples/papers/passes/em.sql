-- How often each value of a column occurs, read from labels of several levels
--   Each label is spread over the values below it, in proportion to what is known of them; then
--   again, 30 times (expectation maximization, Dempster, Laird and Rubin 1977).
with recursive values_of_labels as (
    select distinct column0 as value, unnest([*columns(*)]) as label
    from read_csv('hierarchy.csv', delim = ';', header = false, all_varchar = true)
),
labels as (
    select education as label, count(*) as row_count
    from 'adult.parquet'
    group by education
),
estimates (round, value, share) as (
    select 0, value, 1 / count(*) over ()
    from (select distinct value from values_of_labels)
    union all
    select round + 1, value, sum(row_count * share / label_share) / (select sum(row_count) from labels)
    from (
        select *, sum(share) over (partition by label) as label_share
        from estimates
        inner join values_of_labels using (value)
        inner join labels using (label)
        where round < 30
    )
    group by round, value
)
select value, share
from estimates
where round = 30
order by value
