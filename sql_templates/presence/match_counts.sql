{#- inputs: name str, matches list[str] -#}
{% import "_comments.sql" as comments %}
{{ comments.line("-- " ~ name ~ ":", "how many candidates each column group leaves") }}
-- reads:   {{ matches | join(", ") }}
-- returns: one row per column group, the fewest candidates first
--   candidates   pairs of a combination of the population and a bucket   [pairs]
with counted_matches (group_number, candidates) as (
{% for relation in matches %}
    {{ "union all " if not loop.first }}select {{ loop.index }}, coalesce(sum(combination_count), 0) from {{ relation }}
{% endfor %}
)
select group_number, candidates
from counted_matches
order by candidates, group_number
