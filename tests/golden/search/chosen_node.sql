-- chosen_node: the satisfying node of lowest cost; of equal nodes the lowest, then the first
-- reads:   satisfying_nodes, valued_nodes, level_codes
-- returns: one row per quasi-identifier; costs are compared to nine decimals (ten digits)
with ranked_nodes as (
    select
        satisfying_nodes.*,
        row_number() over (
            order by
                case
                    when abs(valued_nodes.cost) >= 10
                        then round(
                            valued_nodes.cost,
                            9 - cast(floor(log10(abs(valued_nodes.cost))) as integer)
                        )
                    else round(valued_nodes.cost, 9)
                end,
                satisfying_nodes.level_1
                + satisfying_nodes.level_2
                + satisfying_nodes.level_3
                + satisfying_nodes.level_4
                + satisfying_nodes.level_5
                + satisfying_nodes.level_6
                + satisfying_nodes.level_7
                + satisfying_nodes.level_8,
                satisfying_nodes.node
        ) as place
    from sqlanon.satisfying_nodes
    inner join sqlanon.valued_nodes
        on valued_nodes.node = satisfying_nodes.node
),
chosen_levels as (
    select 'the "age"' as attribute, level_1 as level from ranked_nodes where place = 1
    union all select 'born' as attribute, level_2 as level from ranked_nodes where place = 1
    union all select 'zip' as attribute, level_3 as level from ranked_nodes where place = 1
    union all select 'select' as attribute, level_4 as level from ranked_nodes where place = 1
    union all select 'longitude' as attribute, level_5 as level from ranked_nodes where place = 1
    union all select 'tôwn' as attribute, level_6 as level from ranked_nodes where place = 1
    union all select 'work' as attribute, level_7 as level from ranked_nodes where place = 1
    union all select 'sex' as attribute, level_8 as level from ranked_nodes where place = 1
),
counted_levels as (
    select count(*) as level_count
    from chosen_levels
)
select
    level_codes.attribute_number,
    level_codes.attribute,
    level_codes.level,
    level_codes.word,
    level_codes.mask
from sqlanon.level_codes
inner join chosen_levels
    on chosen_levels.attribute = level_codes.attribute
    and chosen_levels.level = level_codes.level
where (
    select case
        when level_count = 0
            then error(
                'sqlanon: no solution: no lattice node holds the promise within the limits'
            )
        else true
    end
    from counted_levels
)
order by level_codes.attribute_number
