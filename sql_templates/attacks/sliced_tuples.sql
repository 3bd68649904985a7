{#- inputs: title str, rows str, columns list[tuple[str, str]], parts list[Part], population str, population_count str -#}
-- {{ title }}: the combinations of quasi-identifiers that an attacker may know{{ ": those of the population" if population else ": every choice of parts of a bucket, one from each column group" }}
-- reads:   {{ population if population else rows }}
-- returns: one row per combination, as text
--   row_count   {{ "persons who have it" if population else "1: how many persons have it is not known" }}
-- nulls:   a missing value is a value of its own
{% if population %}
select
{% for name, column in columns %}
    cast(persons.{{ name | ident }} as varchar) as {{ column }},
{% endfor %}
    cast(sum(persons.{{ population_count | ident }}) as bigint) as row_count
from {{ population }} as persons
group by
{% for name, column in columns %}
    cast(persons.{{ name | ident }} as varchar){{ "," if not loop.last }}
{% endfor %}
{% else %}
with {% for part in parts %}
{{ part.named("bucket_parts") }} as (
    select distinct
        bucket,
{% for column in part.columns %}
        {{ column }}{{ "," if not loop.last }}
{% endfor %}
    from {{ rows }}
){{ "," if not loop.last }}
{% endfor %}
select distinct
{% for part in parts %}
{% for column in part.columns %}
    {{ part.named("bucket_parts") }}.{{ column }},
{% endfor %}
{% endfor %}
    1 as row_count
from {{ parts[0].named("bucket_parts") }}
{% for part in parts[1:] %}
inner join {{ part.named("bucket_parts") }}
    on {{ part.named("bucket_parts") }}.bucket = {{ parts[0].named("bucket_parts") }}.bucket
{% endfor %}
{% endif %}
