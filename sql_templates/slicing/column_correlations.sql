{#- inputs: attributes list[tuple[str, bool]] name is_numeric, numeric list[int], bins int -#}
{% import "_numbered.sql" as numbered %}
-- column_correlations: the correlation of each pair of attributes, used to form column groups
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, measures of correlation
-- reads:   source_rows
-- returns: one row per pair of attributes, by their numbers
{% for name, is_numeric in attributes %}
--   {{ loop.index }}  {{ name | comment }}{{ ", in " ~ bins ~ " intervals of equal width" if is_numeric }}
{% endfor %}
--   contingency   mean-square contingency: 0 for independent attributes, 1 if the attribute with
--                 more values determines the other; 0 if one of them has a single value
--   pearson       Pearson's r of the numbers, over rows that have both
-- nulls:   a missing value is a value of its own{{ ", and so is each value that is not a finite number;" if numeric else ";" }}
--          pearson is null unless both attributes are numeric and neither is constant
with combinations as (
    select {{ numbered.list("value", attributes | length) }}, count(*) as row_count
    from (
        select
{% for name, is_numeric in attributes %}
{% if is_numeric %}
            case
                when isfinite(try_cast({{ name | ident }} as double))
                    then try_cast({{ name | ident }} as double)
            end as value_{{ loop.index }}{{ "," if not loop.last }}
{% else %}
            {{ name | ident }} as value_{{ loop.index }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
        from sqlanon.source_rows
    ) as read_rows
    group by {{ numbered.list("value", attributes | length) }}
),
{% if numeric %}
extents as (
    select {% for number in numeric %}min(value_{{ number }}) as lowest_{{ number }}, max(value_{{ number }}) as highest_{{ number }}{{ ", " if not loop.last }}{% endfor %}

    from combinations
),
{% endif %}
discretized as (
    select
{% for name, is_numeric in attributes %}
{% if is_numeric %}
        case
            when combinations.value_{{ loop.index }} is null then null
            when extents.lowest_{{ loop.index }} = extents.highest_{{ loop.index }} then 0
            -- the highest value belongs to the last interval
            else least(
                {{ bins }} - 1,
                floor(
                    (combinations.value_{{ loop.index }} - extents.lowest_{{ loop.index }})
                        * {{ bins }}
                        / (extents.highest_{{ loop.index }} - extents.lowest_{{ loop.index }})
                )
            )
        end as value_{{ loop.index }},
{% else %}
        combinations.value_{{ loop.index }},
{% endif %}
{% endfor %}
        combinations.row_count
    from combinations
{% if numeric %}
    cross join extents
{% endif %}
),
attribute_values (attribute_number, value_count) as (
{% for _ in attributes %}
    {{ "union all " if not loop.first }}select {{ loop.index }}, count(*) from (select distinct value_{{ loop.index }} from discretized) as found
{% endfor %}
),
-- with f_ij = pair_rows / n, f_i = first_rows / n and f_j = second_rows / n
pair_shares (first_number, second_number, share) as (
{% for _ in attributes %}
{% set first = loop.index %}
{% for number in range(first + 1, (attributes | length) + 1) %}
    {{ "union all " if first + number > 3 }}select
        {{ first }},
        {{ number }},
        (cast(pair_rows as double) / first_rows) * (cast(pair_rows as double) / second_rows)
    from (
        select
            sum(row_count) as pair_rows,
            sum(sum(row_count)) over (partition by value_{{ first }}) as first_rows,
            sum(sum(row_count)) over (partition by value_{{ number }}) as second_rows
        from discretized
        group by value_{{ first }}, value_{{ number }}
    ) as pairs_{{ first }}_{{ number }}
{% endfor %}
{% endfor %}
),
-- The sum over all i, j of (f_ij - f_i f_j)^2 / (f_i f_j) is that of f_ij^2 / (f_i f_j) minus 1:
-- the cross terms sum to -2 and the products f_i f_j to 1. A pair that does not occur adds nothing.
-- Summed in the order of the shares, so that the result does not depend on the order of rows.
square_sums as (
    select first_number, second_number, sum(share order by share) - 1 as square_sum
    from pair_shares
    group by first_number, second_number
){% if numeric | length > 1 %}
,
number_pairs (first_number, second_number, first_value, second_value, row_count) as (
{% for first in numeric %}
{% for number in numeric if number > first %}
    {{ "union all " if not (first == numeric[0] and number == numeric[1]) }}select {{ first }}, {{ number }}, value_{{ first }}, value_{{ number }}, sum(row_count)
    from combinations
    where value_{{ first }} is not null and value_{{ number }} is not null
    group by value_{{ first }}, value_{{ number }}
{% endfor %}
{% endfor %}
),
number_means as (
    select
        first_number,
        second_number,
        sum(first_value * row_count order by first_value, second_value)
            / sum(row_count) as first_mean,
        sum(second_value * row_count order by first_value, second_value)
            / sum(row_count) as second_mean
    from number_pairs
    group by first_number, second_number
    having min(first_value) < max(first_value) and min(second_value) < max(second_value)
),
deviations as (
    select
        number_pairs.first_number,
        number_pairs.second_number,
        number_pairs.first_value - number_means.first_mean as first_deviation,
        number_pairs.second_value - number_means.second_mean as second_deviation,
        number_pairs.row_count
    from number_pairs
    inner join number_means
        on number_means.first_number = number_pairs.first_number
        and number_means.second_number = number_pairs.second_number
),
deviation_sums as (
    select
        first_number,
        second_number,
        sum(
            row_count * first_deviation * second_deviation
            order by first_deviation, second_deviation
        ) as product_sum,
        sum(
            row_count * first_deviation * first_deviation
            order by first_deviation, second_deviation
        ) as first_sum,
        sum(
            row_count * second_deviation * second_deviation
            order by first_deviation, second_deviation
        ) as second_sum
    from deviations
    group by first_number, second_number
){% endif %}

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
{% if numeric | length > 1 %}
    -- checked here, because least and greatest ignore nulls
    case
        when deviation_sums.product_sum is not null
            then greatest(
                -1,
                least(
                    1,
                    deviation_sums.product_sum
                        / (sqrt(deviation_sums.first_sum) * sqrt(deviation_sums.second_sum))
                )
            )
    end as pearson
{% else %}
    cast(null as double) as pearson
{% endif %}
from attribute_values as firsts
inner join attribute_values as seconds on seconds.attribute_number > firsts.attribute_number
left join square_sums
    on square_sums.first_number = firsts.attribute_number
    and square_sums.second_number = seconds.attribute_number
{% if numeric | length > 1 %}
left join deviation_sums
    on deviation_sums.first_number = firsts.attribute_number
    and deviation_sums.second_number = seconds.attribute_number
{% endif %}
order by firsts.attribute_number, seconds.attribute_number
