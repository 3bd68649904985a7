-- from a query: the first column is the value, each further column a coarser level
    select cast(level_0 as varchar) as level_0, cast(level_1 as varchar) as level_1
    from (
select * from (values ('a', '*')) as labels
    ) as hierarchy_query (level_0, level_1)
