-- histories_drawn: the persons whose rows are compared with those of pseudonyms, always the same
--   ones: so many that there are about 60000000 pairs of a known row and a pseudonym with a row in
--   its class
-- reads:   histories_rows, histories_row_tree_rows, histories_published
-- returns: one row per person with 100 rows at most
with sizes as (
    select class, count(*) as pseudonyms
    from sqlanon.histories_published
    group by class
),
counts as (
    select
        cast(coalesce(sum(sizes.pseudonyms), 0) as bigint) as pairs,
        count(distinct placed.person) as persons
    from sqlanon.histories_row_tree_rows as placed
    inner join sizes on sizes.class = placed.class
    where placed.row_count <= 100
)
select person
from sqlanon.histories_rows
where known_number = 1
    and row_count <= 100
order by md5(cast(person as varchar)), person
limit (
    select
        case
            when pairs > 60000000 then
                greatest(cast(floor(persons * (cast(60000000 as double) / pairs)) as bigint), 1)
        end
    from counts
)
