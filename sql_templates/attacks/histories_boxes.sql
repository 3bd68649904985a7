{#- inputs: title str, extents str, static list[int] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
pseudonyms that leave the same of the columns that never change
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ extents }}
{% endcall %}
-- returns: one row per extent
--   pseudonyms    with this extent; each has row_total rows
select extent, row_total, {% for number in static %}first_{{ number }}, last_{{ number }}, {% endfor %}count(*) as pseudonyms
from sqlanon.{{ extents }}
group by extent, row_total{% for number in static %}, first_{{ number }}, last_{{ number }}{% endfor %}

