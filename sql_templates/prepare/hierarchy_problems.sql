{#- inputs: hierarchies list[dict name attribute level_count], row_count str -#}
-- hierarchy_problems: whatever keeps a hierarchy from being one; no row means all are sound
-- reads:   every hierarchy, source_combinations
-- returns: one row per attribute, level and problem
--   affected   values (or, for missing values, source rows) concerned   [count]
{% for hierarchy in hierarchies %}
{% if not loop.first %}
union all
{% endif %}
-- {{ hierarchy.attribute | comment }}
select
    {{ hierarchy.attribute | text }} as attribute,
    problems.level,
    problems.problem,
    problems.affected
from (
    select 0 as level, 'value has more than one row' as problem, count(*) as affected
    from (
        select level_0
        from sqlanon.{{ hierarchy.name | ident }}
        group by level_0
        having count(*) > 1
    ) as repeated_values
    union all
    select 0, 'source rows hold a value without a row', coalesce(sum(combinations.{{ row_count | ident }}), 0)
    from sqlanon.source_combinations as combinations
    where not exists (
        select 1
        from sqlanon.{{ hierarchy.name | ident }} as hierarchy
        where hierarchy.level_0 is not distinct from cast(combinations.{{ hierarchy.attribute | ident }} as varchar)
    )
{% for level in range(1, hierarchy.level_count) %}
    union all
    select {{ level }}, 'value has no label', count(*)
    from sqlanon.{{ hierarchy.name | ident }}
    where level_0 is not null and level_{{ level }} is null
{% endfor %}
{% for level in range(1, hierarchy.level_count) %}
    union all
    select {{ level }}, 'label below has more than one label here', count(*)
    from (
        select level_{{ level - 1 }}
        from sqlanon.{{ hierarchy.name | ident }}
        where level_{{ level - 1 }} is not null
        group by level_{{ level - 1 }}
        having count(distinct level_{{ level }}) > 1
    ) as parted_labels
{% endfor %}
    union all
    select {{ hierarchy.level_count - 1 }}, 'top level is not one single value', count(distinct level_{{ hierarchy.level_count - 1 }})
    from sqlanon.{{ hierarchy.name | ident }}
    having count(distinct level_{{ hierarchy.level_count - 1 }}) > 1
) as problems
where problems.affected > 0
{% endfor %}
order by attribute, level, problem
