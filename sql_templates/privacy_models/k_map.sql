{#- inputs: classes str, class_key list[str], excess bool, k int, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- k_map: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ", width=86) %}
{{ classes }}, one row per equivalence class, population_size included
{% endcall %}
-- returns: one row per equivalence class
--   population_size  rows of the population that fall into the class   [rows]
--   satisfied        population_size >= {{ k | number }}; never null
{% if excess %}
{{ keys.excess_title() }}
--                 all rows of a failing class
{% endif %}
-- nulls:   a null quasi-identifier is a value of its own
select
{{ keys.select("classes", class_key) }}    classes.population_size,
{% if excess %}
    case
        when classes.population_size >= {{ k | number }} then 0
        else classes.class_size
    end as excess_rows,
{% endif %}
    classes.population_size >= {{ k | number }} as satisfied
from {{ keys.named(classes, "classes") }}
