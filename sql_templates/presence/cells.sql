{#- inputs: name str, candidates str, roots str, group_count int -#}
-- {{ name }}: candidates that the publication does not distinguish
-- reads:   {{ candidates }}{{ ", " ~ roots if roots }}
-- returns: one row per bucket and combination of its published values
--   person_count   candidates in the cell   [persons]
with placed_persons as (
    -- each combination once, because everything that it matches is merged
    select distinct
        candidates.combination,
        {{ "buckets.root" if roots else "candidates.bucket" }} as bucket,
{% for number in range(1, group_count + 1) %}
        {{ "roots_" ~ number ~ ".root" if roots else "candidates.value_" ~ number }} as value_{{ number }},
{% endfor %}
        candidates.person_count
    from {{ candidates }} as candidates
{% if roots %}
    inner join {{ roots }} as buckets
        on buckets.group_number = 0
        and buckets.value = candidates.bucket
{% for number in range(1, group_count + 1) %}
    inner join {{ roots }} as roots_{{ number }}
        on roots_{{ number }}.group_number = {{ number }}
        and roots_{{ number }}.value = candidates.value_{{ number }}
{% endfor %}
{% endif %}
)
select
    bucket,
{% for number in range(1, group_count + 1) %}
    value_{{ number }},
{% endfor %}
    cast(sum(person_count) as bigint) as person_count
from placed_persons
group by bucket{% for number in range(1, group_count + 1) %}, value_{{ number }}{% endfor %}

