{#- inputs: title str, full_hits str, matched list[tuple[int, int]] -#}
-- {{ title }}: pseudonyms with as many rows as a person, and a different one for each of hers
-- reads:   {{ full_hits }}; where a row fits several, the numbers of matchings below
-- returns: one row per person with such a pseudonym
--   remaining     pseudonyms
select person, cast(sum(pseudonyms) as bigint) as remaining
from (
    select person, count(*) as pseudonyms
    from sqlanon.{{ full_hits }}
    where is_placed
    group by person
{% if matched %}
    union all
    select person, matchings
    from (
        values
{% for person, count in matched %}
            ({{ person }}, {{ count }}){{ "," if not loop.last }}
{% endfor %}
    ) as matched (person, matchings)
{% endif %}
) as placed
group by person
