{#- inputs: title str, relation str, key list[str], members str -#}
-- {{ title }}: how many classes there are of each size, which is all that estimates need
-- reads:   {{ relation }}
-- returns: one row per size
--   class_size   rows, or persons if they are counted
--   class_count  classes of this size   [classes]
with class_sizes as (
    select {{ members }} as class_size
    from {{ relation }}
{% if key %}
    group by {% for column in key %}{{ column | ident }}{{ ", " if not loop.last }}{% endfor %}

{% endif %}
)
select class_size, count(*) as class_count
from class_sizes
group by class_size
order by class_size
