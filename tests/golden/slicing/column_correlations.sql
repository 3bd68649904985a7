-- column_correlations: the correlation of each pair of attributes, used to form column groups
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, measures of correlation
-- reads:   source_rows
-- returns: one row per pair of attributes, by their numbers
--   1  age
--   2  zip
--   contingency   mean-square contingency: 0 for independent attributes, 1 if the attribute with
--                 more values determines the other; 0 if one of them has a single value
--   pearson       Pearson's r of the numbers, over rows that have both
-- nulls:   a missing value is a value of its own;
--          pearson is null unless both attributes are numeric and neither is constant
with combinations as (
    select value_1, value_2, count(*) as row_count
    from (
        select
            age as value_1,
            zip as value_2
        from sqlanon.source_rows
    ) as read_rows
    group by value_1, value_2
),
discretized as (
    select
        combinations.value_1,
        combinations.value_2,
        combinations.row_count
    from combinations
),
attribute_values (attribute_number, value_count) as (
    select 1, count(*) from (select distinct value_1 from discretized) as found
    union all select 2, count(*) from (select distinct value_2 from discretized) as found
),
-- with f_ij = pair_rows / n, f_i = first_rows / n and f_j = second_rows / n
pair_shares (first_number, second_number, share) as (
    select
        1,
        2,
        (cast(pair_rows as double) / first_rows) * (cast(pair_rows as double) / second_rows)
    from (
        select
            sum(row_count) as pair_rows,
            sum(sum(row_count)) over (partition by value_1) as first_rows,
            sum(sum(row_count)) over (partition by value_2) as second_rows
        from discretized
        group by value_1, value_2
    ) as pairs_1_2
),
-- The sum over all i, j of (f_ij - f_i f_j)^2 / (f_i f_j) is that of f_ij^2 / (f_i f_j) minus 1:
-- the cross terms sum to -2 and the products f_i f_j to 1. A pair that does not occur adds nothing.
-- Summed in the order of the shares, so that the result does not depend on the order of rows.
square_sums as (
    select first_number, second_number, sum(share order by share) - 1 as square_sum
    from pair_shares
    group by first_number, second_number
)
select
    firsts.attribute_number as first_number,
    seconds.attribute_number as second_number,
    case
        when least(firsts.value_count, seconds.value_count) < 2 then 0
        else greatest(
            0,
            least(
                1,
                square_sums.square_sum / (least(firsts.value_count, seconds.value_count) - 1)
            )
        )
    end as contingency,
    cast(null as double) as pearson
from attribute_values as firsts
inner join attribute_values as seconds on seconds.attribute_number > firsts.attribute_number
left join square_sums
    on square_sums.first_number = firsts.attribute_number
    and square_sums.second_number = seconds.attribute_number
order by firsts.attribute_number, seconds.attribute_number
