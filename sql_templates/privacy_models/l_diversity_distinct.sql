{#- inputs: classes str, class_values str, class_key list[str], excess bool, unit bool, shares_persons bool, attribute str, l Decimal, promise str, source str -#}
{{ sqlanon.comments_head("-- l_diversity_distinct: ", promise, source) }}
{{ sqlanon.comments_reads(class_values ~ ", how often each value of " ~ sqlanon.comment(attribute) ~ " occurs in each class" ~ (", and " ~ classes if unit)) }}
-- returns: one row per equivalence class
{% if unit %}
--   diversity   different values, but at most 1 more than the persons without any one of
--               them   [values]
{% else %}
--   diversity   different values   [values]
{% endif %}
--   satisfied   diversity >= {{ sqlanon.number(l) }}; never null
{% if excess %}
{{ sqlanon.keys_excess_title() }}
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
{{ sqlanon.keys_select("class_values", class_key) }}    {{ diversity }} as diversity,
{% if excess %}
    case
        when {{ "count(*)" if shares_persons else diversity }} >= {{ sqlanon.number(l) }} then 0
        else cast(sum(class_values.value_count) as bigint)
    end as excess_rows,
{% endif %}
    {{ diversity }} >= {{ sqlanon.number(l) }} as satisfied
from {{ sqlanon.keys_named(class_values, "class_values") }}
{% if unit %}
inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key) -}}
{% endif %}
group by {{ sqlanon.keys_list("class_values", class_key) }}
{% else %}
select {{ sqlanon.keys_list("", class_key) }}, count(*) as diversity, count(*) >= {{ sqlanon.number(l) }} as satisfied
from {{ sqlanon.keys_named(class_values, "class_values") }}
group by {{ sqlanon.keys_list("", class_key) }}
{% endif %}
