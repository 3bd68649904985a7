{#- inputs: intervals list[Interval] -#}
-- intervals: what every attribute is cut into, for all rows alike
-- returns: one row per attribute and interval
--   first_place, last_place   the places that it covers, in value_places
select *
from (
    values
{% for number, first, last in intervals %}
        ({{ number }}, {{ first }}, {{ last }}){{ "," if not loop.last }}
{% endfor %}
) as listed_intervals (attribute_number, first_place, last_place)
