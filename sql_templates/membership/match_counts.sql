{#- inputs: name str, matches list[str] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
how many combinations of the population a column group leaves in the buckets
{% endcall %}
-- reads:   {% for relation in matches %}{{ relation }}{{ ", " if not loop.last }}{% endfor %}

-- returns: one row per column group, the one that leaves fewest first
--   group_number
--   candidates     pairs of a combination and a bucket   [pairs]
with counted_matches (group_number, candidates) as (
{% for relation in matches %}
    {{ "union all " if not loop.first }}select {{ loop.index }}, coalesce(sum(combination_count), 0) from {{ relation }}
{% endfor %}
)
select group_number, candidates
from counted_matches
order by candidates, group_number
