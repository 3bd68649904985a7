{#- inputs: uniques str, weights list[int], exponent float -#}
-- special_unique_scores: the SUDA scores of rows, together
-- source:  Elliot, Manning, Ford, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002
-- reads:   {{ uniques }}
-- returns: one row
--   row_count      rows that are alone on some set   [rows]
--   highest_score  of a row: the sum of (columns - size)! over its sets; null if there is no row
--   scale          sum of score ^ -{{ exponent | number }}, by which DIS-SUDA divides
with scores as (
    select
        row_key,
        sum([{% for weight in weights %}{{ weight | number }}.0{{ ", " if not loop.last }}{% endfor %}][bit_count(members)]) as score
    from sqlanon.{{ uniques }}
    group by row_key
)
select
    count(*) as row_count,
    cast(max(score) as double) as highest_score,
    cast(sum(power(score, -{{ exponent | number }})) as double) as scale
from scores
