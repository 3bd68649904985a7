{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro l_diversity_frequency_sql(classes=none, class_values=none, class_key=none, excess=false, unit=none, attribute=none, l=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- l_diversity_frequency: ", promise, source) }}
{{ sqlanon.comments_reads(class_values ~ ", how often each value of " ~ sqlanon.comment(attribute) ~ " occurs in each class, " ~ classes) }}
-- returns: one row per equivalence class
--   diversity   {{ "persons" if unit else "rows" }} of the class / {{ "persons" if unit else "rows" }} of its most frequent value   [ratio]
--   satisfied   {{ sqlanon.number(l) }} * {{ "persons" if unit else "rows" }} of the most frequent value <= {{ "persons" if unit else "rows" }} of the
--               class, compared exactly; never null
{%- if excess %}
{{ sqlanon.keys_excess_title() }}
{%- endif %}
-- nulls:   a missing value is a value of its own
with value_shares as (
    select
{{ sqlanon.keys_select("class_values", class_key, true) }}        min(classes.class_size) as class_size,
        max(class_values.value_count) as largest_count{{ "," if excess }}
{%- if excess %}
        sum(
            greatest({{ sqlanon.number(l) }} * class_values.value_count - classes.class_size, 0)
        ) as excess_count
{%- endif %}
    from {{ sqlanon.keys_named(class_values, "class_values") }}
    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) }}    group by {{ sqlanon.keys_list("class_values", class_key) }}
)
select
{{ sqlanon.keys_select("value_shares", class_key) }}    cast(value_shares.class_size as {{ sqlanon.double() }}) / value_shares.largest_count as diversity,
{%- if excess %}
    case
        when {{ sqlanon.number(l) }} * value_shares.largest_count <= value_shares.class_size then 0
        else greatest(1, ceil(value_shares.excess_count / {{ sqlanon.number(l) }}))
    end as excess_rows,
{%- endif %}
    {{ sqlanon.number(l) }} * value_shares.largest_count <= value_shares.class_size as satisfied
from value_shares
{%- endmacro %}
