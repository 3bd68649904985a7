{#- inputs: most int -#}
-- group_levels: the level of each hierarchy by whose labels a picture groups values
-- reads:   hierarchy_levels
-- returns: one row per attribute with such a level: the finest with several labels, but at most {{ most }}
select attribute, min(level) as level
from (
    select attribute, level
    from sqlanon.hierarchy_levels
    group by attribute, level
    having count(distinct label) between 2 and {{ most }}
) as levels
group by attribute
order by attribute
