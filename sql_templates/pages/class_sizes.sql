{#- inputs: title str, relation str, key list[str], members str, edges list[int], counted str -#}
-- {{ title }}: how many classes of which size there are
-- reads:   {{ relation }}
-- returns: one row per range of sizes in which there are classes
--   least_size    the range begins here, and ends before the next one begins
--   class_count   classes in the range                 [classes]
--   member_count  their members, rows or persons
--   smallest, largest   sizes of classes in the range
--   median        size of the median class, of all ranges; the lower one of two
with class_sizes as (
    select {{ members }} as class_size
    from {{ relation }}
{% if counted %}
    where {{ counted | ident }} > 0
{% endif %}
{% if key %}
    group by {% for column in key %}{{ column | ident }}{{ ", " if not loop.last }}{% endfor %}

{% endif %}
),
edges (least_size, next_size) as (
    values
{% for edge in edges %}
        ({{ edge }}, {{ "null" if loop.last else edges[loop.index] }}){{ "," if not loop.last }}
{% endfor %}
)
select
    edges.least_size,
    count(*) as class_count,
    cast(sum(class_sizes.class_size) as bigint) as member_count,
    min(class_sizes.class_size) as smallest,
    max(class_sizes.class_size) as largest,
    (select quantile_disc(class_size, 0.5) from class_sizes) as median
from class_sizes
inner join edges
    on class_sizes.class_size >= edges.least_size
    and (edges.next_size is null or class_sizes.class_size < edges.next_size)
group by edges.least_size
order by edges.least_size
