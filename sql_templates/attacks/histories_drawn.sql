{#- inputs: title str, rows str, placed str, published str, most_rows int, most_pairs int -#}
-- {{ title }}: the persons whose rows are compared with those of pseudonyms, always the same ones: so many that there are about {{ most_pairs }} pairs of a known row and a pseudonym with a row in its class
-- reads:   {{ rows }}, {{ placed }}, {{ published }}
-- returns: one row per person with {{ most_rows }} rows at most
with sizes as (
    select class, count(*) as pseudonyms
    from sqlanon.{{ published }}
    group by class
),
counts as (
    select
        cast(coalesce(sum(sizes.pseudonyms), 0) as bigint) as pairs,
        count(distinct placed.person) as persons
    from sqlanon.{{ placed }} as placed
    inner join sizes on sizes.class = placed.class
    where placed.row_count <= {{ most_rows }}
)
select person
from sqlanon.{{ rows }}
where known_number = 1
    and row_count <= {{ most_rows }}
order by md5(cast(person as varchar)), person
limit (
    select
        case
            when pairs > {{ most_pairs }} then
                greatest(cast(floor(persons * (cast({{ most_pairs }} as double) / pairs)) as bigint), 1)
        end
    from counts
)
