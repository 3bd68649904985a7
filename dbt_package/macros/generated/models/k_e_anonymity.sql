{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro k_e_anonymity_sql(classes=none, class_values=none, table_values=none, class_key=none, excess=false, unit=none, shares_persons=false, attribute=none, k=none, e=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- k_e_anonymity: ", promise, source) }}
{{ sqlanon.comments_reads((classes ~ ", " if unit) ~ class_values ~ ", " ~ table_values ~ " of " ~ sqlanon.comment(attribute)) }}
-- returns: one row per equivalence class
--   value_range   largest minus smallest number in the class
--   number_count  different numbers in the class
{%- if unit %}
--                 both 0 if a person has several values in the class
{%- endif %}
--   satisfied     number_count >= {{ sqlanon.number(k) }} and value_range >= {{ sqlanon.number(e) }}, to a
--                 tolerance of 1e-9; never null
{%- if excess %}
{{ sqlanon.keys_excess_title() }}
--                 all rows of a {{ "class whose numbers are too few or too close" if shares_persons else "failing class" }}
{%- endif %}
-- nulls:   a missing value is not a number and counts neither as a value nor for the range
with class_ranges as (
    select
{{ sqlanon.keys_select("class_values", class_key, true) }}        cast(sum(class_values.value_count) as bigint) as value_total,
        count(distinct table_values.number) as number_count,
        coalesce(max(table_values.number) - min(table_values.number), 0) as value_range{{ "," if unit }}
{%- if unit %}
        sum(class_values.value_count) > min(classes.class_size) as has_several
{%- endif %}
    from {{ sqlanon.keys_named(class_values, "class_values") }}
    inner join {{ sqlanon.keys_named(table_values, "table_values") }}
        on table_values.value = class_values.value
{%- if unit %}
    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) -}}
{%- endif %}
    group by {{ sqlanon.keys_list("class_values", class_key) }}
)
select
{{ sqlanon.keys_select("class_ranges", class_key) }}{% if unit %}
    case when class_ranges.has_several then 0 else class_ranges.value_range end as value_range,
    case when class_ranges.has_several then 0 else class_ranges.number_count end as number_count,
{%- else %}
    class_ranges.value_range,
    class_ranges.number_count,
{%- endif %}
{%- if excess %}
    case
        when {{ "not class_ranges.has_several and " if unit and not shares_persons }}class_ranges.number_count >= {{ sqlanon.number(k) }}
            and class_ranges.value_range >= {{ sqlanon.number(e) }} - 0.000000001 then 0
        else class_ranges.value_total
    end as excess_rows,
{%- endif %}
    {{ "not class_ranges.has_several and " if unit }}class_ranges.number_count >= {{ sqlanon.number(k) }}
        and class_ranges.value_range >= {{ sqlanon.number(e) }} - 0.000000001 as satisfied
from class_ranges
{%- endmacro %}
