-- hierarchy_of_the "age": generalization hierarchy of the "age"
--   level_0  as in the source
--   level_1  intervals of width 2.5
--   level_2  intervals of width 5
--   level_3  one value for all
-- reads:   source_values, and the rule or file below
-- returns: one row per value
-- nulls:   a null stays null below the top, and has a row if the source contains one
with known_values as (
    select value
    from sqlanon.source_values
    where attribute = 'the "age"' and value is not null
),
labels as (
    -- numeric intervals [low, high), which include low and exclude high; a value that is not a
    -- number gets no label
    select
        value as level_0,
        case
            when exact < 0 then '< 0'
            when exact >= 90 then '>= 90'
            when exact is not null then '['
                || greatest(
                    cast(exact - ((exact - 1.0) % 2.5 + 2.5) % 2.5 as decimal(38, 1)), 0
                ) || ', '
                || least(
                    cast(exact - ((exact - 1.0) % 2.5 + 2.5) % 2.5 + 2.5 as decimal(38, 1)), 90
                ) || ')'
        end as level_1,
        case
            when exact < 0 then '< 0'
            when exact >= 90 then '>= 90'
            when exact is not null then '['
                || greatest(cast(exact - ((exact - 1.0) % 5 + 5) % 5 as decimal(38, 1)), 0) || ', '
                || least(cast(exact - ((exact - 1.0) % 5 + 5) % 5 + 5 as decimal(38, 1)), 90) || ')'
        end as level_2,
        case when exact is not null then '*' end as level_3
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from known_values
    ) as numbers
),
tops as (
    select coalesce(min(level_3), '*') as top_label
    from labels
)
select *
from labels
where level_0 is not null
union all
select
    null,
    null,
    null,
    tops.top_label
from sqlanon.source_values
cross join tops
where source_values.attribute = 'the "age"' and source_values.value is null
