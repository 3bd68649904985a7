{#- inputs: intervals list[Interval] -#}
-- intervals: the intervals of every attribute, the same for all rows
-- returns: one row per attribute and interval
--   first_place, last_place   first and last place of the interval, in places
select *
from (
    values
{% for number, first, last in intervals %}
        ({{ number }}, {{ first }}, {{ last }}){{ "," if not loop.last }}
{% endfor %}
) as listed_intervals (attribute_number, first_place, last_place)
