{#- inputs: title str, full_hits str, most int -#}
-- {{ title }}: what is to be matched
-- reads:   {{ full_hits }}
-- returns: one row per person and pseudonym that take a matching, {{ most }} at most
select person, edges
from sqlanon.{{ full_hits }}
where edges is not null
order by person, pseudonym
limit {{ most }}
