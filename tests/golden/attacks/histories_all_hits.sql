-- histories_left_all: pseudonyms with as many rows as a person, and a different one for each of
--   hers
-- reads:   histories_full_hits
-- returns: one row per person with such a pseudonym
--   remaining     pseudonyms
with matched (person, matchings) as (
    select 1, 1
),
placed (person, pseudonyms) as (
    select person, count(*)
    from sqlanon.histories_full_hits
    where is_placed
    group by person
    union all
    select person, matchings
    from matched
)
select person, cast(sum(pseudonyms) as bigint) as remaining
from placed
group by person
