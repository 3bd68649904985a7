{#- inputs: classes str, class_values str, class_key list[str], excess bool, unit bool, shares_persons bool, attribute str, l Decimal, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- l_diversity_distinct: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ", width=86) %}
{{ class_values }}, how often each value of {{ attribute | comment }} occurs in each class{{ ", and " ~ classes if unit }}
{% endcall %}
-- returns: one row per equivalence class
{% if unit %}
--   diversity   different values, but at most 1 more than the persons without any one of
--               them   [values]
{% else %}
--   diversity   different values   [values]
{% endif %}
--   satisfied   diversity >= {{ l | number }}; never null
{% if excess %}
{{ keys.excess_title() }}
--                 all rows of a {{ "class with too few values" if shares_persons else "failing class" }}
{% endif %}
-- nulls:   a missing value is a value of its own
{% set diversity %}
{% if unit %}
least(
        count(*),
        min(classes.class_size - class_values.value_count) + 1
    )
{%- else %}
count(*)
{%- endif %}
{% endset %}
{% if excess or unit %}
select
{{ keys.select("class_values", class_key) }}    {{ diversity }} as diversity,
{% if excess %}
    case
        when {{ "count(*)" if shares_persons else diversity }} >= {{ l | number }} then 0
        else cast(sum(class_values.value_count) as bigint)
    end as excess_rows,
{% endif %}
    {{ diversity }} >= {{ l | number }} as satisfied
from {{ keys.named(class_values, "class_values") }}
{% if unit %}
inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key) -}}
{% endif %}
group by {{ keys.list("class_values", class_key) }}
{% else %}
select {{ keys.list("", class_key) }}, count(*) as diversity, count(*) >= {{ l | number }} as satisfied
from {{ keys.named(class_values, "class_values") }}
group by {{ keys.list("", class_key) }}
{% endif %}
