{#- inputs: classes str, class_values str, table_values str, class_key list[str], table_scope list[str], excess bool, attribute str, delta Decimal, absent str, promise str, source str -#}
{{ sqlanon.comments_head("-- delta_disclosure: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", " ~ class_values ~ ", " ~ table_values ~ " of " ~ sqlanon.comment(attribute)) }}
-- returns: one row per equivalence class
--   largest_change_bits   largest |log2(share in class / share in table)|   [bits]
{% if absent == "violation" %}
--                         infinite if the class lacks a value of the table
{% else %}
--                         values that the class lacks are ignored
{% endif %}
--   satisfied             largest_change_bits < {{ sqlanon.number(delta) }}, within a tolerance of 1e-9;
--                         never null
{% if excess %}
{{ sqlanon.keys_excess_title() }}
{% if absent == "violation" %}
--                 all rows if the class lacks a value of the table; otherwise the rows of
--                 each value above its largest allowed share
{% else %}
--                 always 0: no bound is known
{% endif %}
{% endif %}
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
{{ sqlanon.keys_select("table_values", table_scope, true) }}        table_values.value,
        table_values.row_count / cast(table_values.table_size as {{ sqlanon.double() }}) as share,
        count(*) over ({{ sqlanon.keys_partition("table_values", table_scope) }}) as value_total
    from {{ sqlanon.keys_named(table_values, "table_values") }}
),
class_changes as (
    select
{{ sqlanon.keys_select("class_values", class_key, true) }}        classes.class_size,
        max(
            abs(
                {{ sqlanon.log2("class_values.value_count / (classes.class_size * table_shares.share)") }}
            )
        ) as largest_change_bits,
{% if excess %}
        sum(
            greatest(
                class_values.value_count
                    - classes.class_size * table_shares.share * pow(2, {{ sqlanon.number(delta) }}),
                0
            )
        ) as excess_count,
{% endif %}
        count(*) = min(table_shares.value_total) as is_complete
    from {{ sqlanon.keys_named(class_values, "class_values") }}
    inner join table_shares
        on table_shares.value = class_values.value
{{ sqlanon.keys_also("table_shares", "class_values", table_scope) }}    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) }}    group by {{ sqlanon.keys_list("class_values", class_key, last=["classes.class_size"]) }}
)
select
{{ sqlanon.keys_select("class_changes", class_key) }}
{%- if absent == "violation" %}    case when class_changes.is_complete then class_changes.largest_change_bits
        else cast('infinity' as {{ sqlanon.double() }}) end as largest_change_bits,
{% if excess %}
    case
        when not class_changes.is_complete then class_changes.class_size
        when class_changes.largest_change_bits < {{ sqlanon.number(delta) }} - 0.000000001 then 0
        else greatest(1, ceil(class_changes.excess_count - 0.000001))
    end as excess_rows,
{% endif %}
    class_changes.is_complete
        and class_changes.largest_change_bits < {{ sqlanon.number(delta) }} - 0.000000001 as satisfied
{% else %}    class_changes.largest_change_bits,
{% if excess %}
    0 as excess_rows,
{% endif %}
    class_changes.largest_change_bits < {{ sqlanon.number(delta) }} - 0.000000001 as satisfied
{% endif %}
from class_changes
