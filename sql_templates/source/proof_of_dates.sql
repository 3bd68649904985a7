{#- inputs: tables list[tuple[str, list[str]]] relation columns -#}
-- proof_of_dates: dates that each database writes in its own way: before the year 1, after 9999, or
--   without an end
-- reads:   {{ tables | map(attribute=0) | join(", ") | comment }}
-- returns: one row per column with such dates; no row if there is none
--   affected   rows with such a date   [rows]
-- nulls:   a missing date is none of them
with {% for relation, columns in tables %}
{{ relation }}_dates as (
    select
{% for name in columns %}
        count(*) filter (
            where cast({{ name | ident }} as date) < cast('0001-01-01' as date)
                or cast({{ name | ident }} as date) > cast('9999-12-31' as date)
        ) as affected_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ relation }}
){{ "," if not loop.last }}
{% endfor %}
select attribute, affected
from (
{% for relation, columns in tables %}
{% set outer = loop %}
{% for name in columns %}
{% if not (outer.first and loop.first) %}
    union all
{% endif %}
    select {{ name | text }} as attribute, affected_{{ loop.index }} as affected
    from {{ relation }}_dates
{% endfor %}
{% endfor %}
) as counted_dates
where affected > 0
order by attribute, affected
