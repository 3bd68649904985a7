-- histories_matchings: what is to be matched
-- reads:   histories_full_hits
-- returns: one row per person and pseudonym that take a matching, 200000 at most
select person, edges
from sqlanon.histories_full_hits
where edges is not null
order by person, pseudonym
limit 200000
