{#- inputs: title str, class_key list[str], releases list[tuple[str, str, str]] -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
-- {{ title }}: the values that each release leaves possible for each person
{% call comments.wrapped("-- reads:   ") %}
{% for release, located, counts in releases %}
{{ located }}, {{ counts }}{{ "," if not loop.last }}
{% endfor %}
{% endcall %}
-- returns: one row per person and value that occurs in a class of the person in either release
{% for release, located, counts in releases %}
--   {{ release }}_count   rows with the value in the person's classes in the {{ release }} release   [rows]
{% endfor %}
-- nulls:   a missing value is a value of its own
with counted_values as (
{% for release, located, counts in releases %}
    {{ "union all " if not loop.first }}select
        located.person,
        counts.value_text,
{% for other, other_located, other_counts in releases %}
        {{ "counts.value_count" if other == release else "0" }} as {{ other }}_count{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ located }} as located
    inner join sqlanon.{{ counts }} as counts
{{ keys.join("counts", "located", class_key, true) }}{% endfor %}
)
select
    person,
    value_text,
{% for release, located, counts in releases %}
    cast(sum({{ release }}_count) as bigint) as {{ release }}_count{{ "," if not loop.last }}
{% endfor %}
from counted_values
group by person, value_text
