{#- inputs: title str, rows str, tree str, fitting list[str], numbers list[int], counted str, by_total bool, first int -#}
{% if counted == "pseudonyms" %}
-- {{ title }}: pseudonyms all of whose rows fit what never changes for a person{{ ", with as many rows" if by_total }}
{% else %}
-- {{ title }}: where nothing joins rows, what is known of a row leaves the persons of the largest class that fits
{% endif %}
-- reads:   {{ rows }}, {{ tree }}, {{ fitting | join(", ") }}
-- returns: one row per person of whom something fits
--   remaining     {{ counted }}{{ ", for the row that leaves the fewest" if first != 1 }}{{ " of the first " ~ first if first > 1 }}
with points as (
{% for each in fitting %}
    {{ "union all " if not loop.first }}select {{ "row_total, " if by_total }}number, unnest(range(first_position, last_position + 1)) as position
    from sqlanon.{{ each }}
{% endfor %}
),
counted as (
    select position{{ ", row_total" if by_total }}, cast({{ "sum" if counted == "pseudonyms" else "max" }}(number) as bigint) as remaining
    from points
    group by position{{ ", row_total" if by_total }}
)
select rows.person, min(counted.remaining) as remaining
from sqlanon.{{ rows }} as rows
inner join sqlanon.{{ tree }} as tree
{% for number in numbers %}
    {{ "on" if loop.first else "and" }} tree.at_{{ number }} = rows.at_{{ number }}
{% else %}
    on true
{% endfor %}
inner join counted
    on counted.position = tree.position
{% if by_total %}
    and counted.row_total = rows.row_count
{% endif %}
{% if first %}
where rows.known_number <= {{ first }}
{% endif %}
group by rows.person
