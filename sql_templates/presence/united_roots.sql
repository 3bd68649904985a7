{#- inputs: name str, previous str, links str -#}
{% import "_comments.sql" as comments %}
{{ comments.line("-- " ~ name ~ ":", "the lowest root among linked numbers, and the root of that root") }}
-- reads:   {{ previous }}, {{ links }}
-- returns: one row per bucket (group_number 0) and published value
--   root      lowest number known so far to be merged with it
--   changed   true if this round found a lower number
with linked_roots as (
    select links.group_number, links.value, min(roots.root) as root
    from {{ links }} as links
    inner join {{ previous }} as roots
        on roots.group_number = links.group_number
        and roots.value = links.other
    group by links.group_number, links.value
),
lower_roots as (
    select
        roots.group_number,
        roots.value,
        roots.root as previous_root,
        least(roots.root, coalesce(linked_roots.root, roots.root)) as root
    from {{ previous }} as roots
    left join linked_roots
        on linked_roots.group_number = roots.group_number
        and linked_roots.value = roots.value
)
select
    lower_roots.group_number,
    lower_roots.value,
    roots.root,
    roots.root < lower_roots.previous_root as changed
from lower_roots
inner join {{ previous }} as roots
    on roots.group_number = lower_roots.group_number
    and roots.value = lower_roots.root
