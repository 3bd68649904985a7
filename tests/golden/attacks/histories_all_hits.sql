-- histories_left_all: pseudonyms with as many rows as a person, and a different one for each of
--   hers
-- reads:   histories_full_hits; where a row fits several, the numbers of matchings below
-- returns: one row per person with such a pseudonym
--   remaining     pseudonyms
select person, cast(sum(pseudonyms) as bigint) as remaining
from (
    select person, count(*) as pseudonyms
    from sqlanon.histories_full_hits
    where is_placed
    group by person
    union all
    select person, matchings
    from (
        values
            (1, 1)
    ) as matched (person, matchings)
) as placed
group by person
