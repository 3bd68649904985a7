{#- inputs: name str, candidates str, group_count int -#}
{% import "_comments.sql" as comments %}
{% import "_numbered.sql" as numbered %}
{{ comments.line("-- " ~ name ~ ":", "buckets and published values that are merged, because a person may be in either") }}
-- reads:   {{ candidates }}
-- returns: one row per pair of linked numbers, in both directions
--   group_number   if 0, value and other are buckets; else values of this column group
with numbered_matches as (
    select
        *,
        row_number() over (
            partition by combination order by bucket, {{ numbered.list("value", group_count) }}
        ) as match_number
    from {{ candidates }}
),
linked_matches as (
    select
        firsts.bucket as first_0, others.bucket as other_0{% for number in range(1, group_count + 1) %},
        firsts.value_{{ number }} as first_{{ number }}, others.value_{{ number }} as other_{{ number }}{% endfor %}

    from numbered_matches as firsts
    inner join numbered_matches as others
        on others.combination = firsts.combination
    where firsts.match_number = 1
),
pairs (group_number, value, other) as (
{% for number in range(group_count + 1) %}
    {{ "union all " if not loop.first }}select {{ number }}, first_{{ number }}, other_{{ number }} from linked_matches
{% endfor %}
)
select group_number, value, other
from pairs
where value <> other
union
select group_number, other, value
from pairs
where value <> other
