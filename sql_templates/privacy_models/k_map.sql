{#- inputs: classes str, class_key list[str], excess bool, k int, promise str, source str -#}
{{ sqlanon.comments_head("-- k_map: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", one row per equivalence class, population_size included") }}
-- returns: one row per equivalence class
--   population_size  rows of the population that fall into the class   [rows]
--   satisfied        population_size >= {{ sqlanon.number(k) }}; never null
{% if excess %}
{{ sqlanon.keys_excess_title() }}
--                 all rows of a failing class
{% endif %}
-- nulls:   a null quasi-identifier is a value of its own
select
{{ sqlanon.keys_select("classes", class_key) }}    classes.population_size,
{% if excess %}
    case
        when classes.population_size >= {{ sqlanon.number(k) }} then 0
        else classes.class_size
    end as excess_rows,
{% endif %}
    classes.population_size >= {{ sqlanon.number(k) }} as satisfied
from {{ sqlanon.keys_named(classes, "classes") }}
