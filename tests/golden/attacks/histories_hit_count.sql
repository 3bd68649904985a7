-- histories_hits_count: pairs of a known row and a pseudonym with a row in its class
-- reads:   histories_placed, histories_published
-- returns: one row: the number of pairs, and the persons, without those who have more than 100 rows
with sizes as (
    select class, count(*) as pseudonyms
    from sqlanon.histories_published
    group by class
)
select
    coalesce(cast(sum(sizes.pseudonyms) as bigint), 0) as pairs,
    count(distinct placed.person) as persons
from sqlanon.histories_placed as placed
inner join sizes on sizes.class = placed.class
where placed.row_count <= 100
