{#- inputs: classes, class_values, table_values, class_key, attribute str, delta Decimal, absent str, promise, source -#}
{% import "_keys.sql" as keys %}
-- delta_disclosure: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ class_values }}, {{ table_values }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   largest_change_bits   largest |log2(share in class / share in table)|   [bits]
{%- if absent == "violation" %}; infinite where the
--                         class lacks a value of the table
{%- else %}; absent values are ignored
{%- endif %}

--   satisfied             largest_change_bits < {{ delta | number }}, to a tolerance of 1e-9, never null
-- nulls:   a missing value is a value of its own
with table_sizes as (
    select cast(sum(row_count) as double) as table_size, count(*) as value_count
    from {{ table_values }} as table_values
),
class_changes as (
    select
{{ keys.select("classes", class_key) | indent(4, first=true) -}}
{{ "        " }}classes.class_size,
        max(abs(log(2, class_values.value_count * table_sizes.table_size
            / (cast(classes.class_size as double) * table_values.row_count)))) as largest_change_bits,
        count(*) = min(table_sizes.value_count) as is_complete
    from {{ classes }} as classes
    inner join {{ class_values }} as class_values
{{ keys.join("class_values", "classes", class_key) | indent(4, first=true) -}}
{{ "    " }}inner join {{ table_values }} as table_values on table_values.value = class_values.value
    cross join table_sizes
    group by {{ keys.list("classes", class_key) | trim }}, classes.class_size
)
select
{{ keys.select("class_changes", class_key) -}}
{{ "    " }}class_changes.class_size,
{% if absent == "violation" %}
    case when class_changes.is_complete then class_changes.largest_change_bits
        else cast('infinity' as double) end as largest_change_bits,
    class_changes.is_complete
        and class_changes.largest_change_bits < {{ delta | number }} - 0.000000001 as satisfied
{% else %}
    class_changes.largest_change_bits,
    class_changes.largest_change_bits < {{ delta | number }} - 0.000000001 as satisfied
{% endif %}
from class_changes
