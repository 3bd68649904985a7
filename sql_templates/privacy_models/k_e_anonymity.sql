{#- inputs: class_values str, table_values str, class_key list[str], excess bool, attribute str, k int, e Decimal, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- k_e_anonymity: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ", width=86) %}
{{ class_values }}, {{ table_values }} of {{ attribute | comment }}
{% endcall %}
-- returns: one row per equivalence class
--   value_range   largest minus smallest number in the class
--   number_count  different numbers in the class
--   satisfied     number_count >= {{ k | number }} and value_range >= {{ e | number }}, to a
--                 tolerance of 1e-9; never null
{% if excess %}
{{ keys.excess_title() }}
--                 all rows of a failing class
{% endif %}
-- nulls:   a missing value is not a number and counts neither as a value nor for the range
with class_ranges as (
    select
{{ keys.select("class_values", class_key, true) }}        cast(sum(class_values.value_count) as bigint) as value_total,
        count(distinct table_values.number) as number_count,
        coalesce(max(table_values.number) - min(table_values.number), 0) as value_range
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(table_values, "table_values") }}
        on table_values.value = class_values.value
    group by {{ keys.list("class_values", class_key) }}
)
select
{{ keys.select("class_ranges", class_key) }}    class_ranges.value_range,
    class_ranges.number_count,
{% if excess %}
    case
        when class_ranges.number_count >= {{ k | number }}
            and class_ranges.value_range >= {{ e | number }} - 0.000000001 then 0
        else class_ranges.value_total
    end as excess_rows,
{% endif %}
    class_ranges.number_count >= {{ k | number }}
        and class_ranges.value_range >= {{ e | number }} - 0.000000001 as satisfied
from class_ranges
