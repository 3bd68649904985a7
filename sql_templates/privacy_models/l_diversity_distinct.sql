{#- inputs: class_values str, class_key list[str], excess bool, attribute str, l Decimal, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- l_diversity_distinct: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ", width=86) %}
{{ class_values }}, how often each value of {{ attribute | comment }} occurs in each class
{% endcall %}
-- returns: one row per equivalence class
--   diversity   different values   [values]
--   satisfied   diversity >= {{ l | number }}; never null
{% if excess %}
{{ keys.excess_title() }}
--                 all rows of a failing class
{% endif %}
-- nulls:   a missing value is a value of its own
{% set satisfied %}count(*) >= {{ l | number }} as satisfied{% endset %}
{% if excess %}
select
{{ keys.select("class_values", class_key) }}    count(*) as diversity,
    case
        when count(*) >= {{ l | number }} then 0
        else cast(sum(class_values.value_count) as bigint)
    end as excess_rows,
    {{ satisfied }}
{% else %}
select {{ keys.list("", class_key) }}, count(*) as diversity, {{ satisfied }}
{% endif %}
from {{ keys.named(class_values, "class_values") }}
group by {{ keys.list("" if not excess else "class_values", class_key) }}
