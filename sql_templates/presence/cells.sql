{#- inputs: name str, candidates str, roots str, group_count int -#}
{% import "_numbered.sql" as numbered %}
{% set values = numbered.list("value", group_count) %}
-- {{ name }}: candidates that the publication does not distinguish
-- reads:   {{ candidates }}{{ ", " ~ roots if roots }}
-- returns: one row per bucket and combination of its published values
--   person_count   candidates in the cell   [persons]
with placed_persons as (
    -- each combination once, because everything that it matches is merged
{% if roots %}
    select distinct
        candidates.combination,
        buckets.root as bucket,
{% for number in range(1, group_count + 1) %}
        roots_{{ number }}.root as value_{{ number }},
{% endfor %}
        candidates.person_count
    from {{ candidates }} as candidates
    inner join {{ roots }} as buckets
        on buckets.group_number = 0
        and buckets.value = candidates.bucket
{% for number in range(1, group_count + 1) %}
    inner join {{ roots }} as roots_{{ number }}
        on roots_{{ number }}.group_number = {{ number }}
        and roots_{{ number }}.value = candidates.value_{{ number }}
{% endfor %}
{% else %}
    select distinct combination, bucket, {{ values }}, person_count
    from {{ candidates }}
{% endif %}
)
select bucket, {{ values }}, cast(sum(person_count) as bigint) as person_count
from placed_persons
group by bucket, {{ values }}
