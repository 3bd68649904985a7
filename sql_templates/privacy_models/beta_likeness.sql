{#- inputs: classes str, class_values str, table_values str, class_key list[str], table_scope list[str], excess bool, attribute str, kind str, beta Decimal, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- beta_likeness, " ~ (kind | comment) ~ ": ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ", width=86) %}
{{ classes }}, {{ class_values }}, {{ table_values }} of {{ attribute | comment }}
{% endcall %}
-- returns: one row per equivalence class
--   largest_gain   largest (share in class - share in table) / share in table; 0 if no
--                  share is larger in the class
--   satisfied      every gain <= {{ beta | number }}{{ " and <= -ln(share in table)" if kind == "enhanced" }},
--                  within a tolerance of 1e-9; never null
{% if excess %}
{{ keys.excess_title() }}
--                 the rows of each value above its largest allowed share
{% endif %}
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
{{ keys.select("table_values", table_scope, true) }}        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share
    from {{ keys.named(table_values, "table_values") }}
),
gains as (
    select
{{ keys.select("classes", class_key, true) }}        class_values.value_count,
        classes.class_size * table_shares.share as expected_count,
        class_values.value_count / (classes.class_size * table_shares.share)
            - 1 as gain,
{% if kind == "enhanced" %}
        least({{ beta | number }}, -ln(table_shares.share)) as largest_allowed
{% else %}
        {{ beta | number }} as largest_allowed
{% endif %}
    from {{ keys.named(class_values, "class_values") }}
    inner join table_shares
        on table_shares.value = class_values.value
{{ keys.also("table_shares", "class_values", table_scope) }}    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }}),
class_gains as (
    select
{{ keys.select("gains", class_key, true) }}        greatest(max(gains.gain), 0) as largest_gain,
{% if excess %}
        sum(
            greatest(
                gains.value_count
                    - gains.expected_count * (1.000000001 + gains.largest_allowed),
                0
            )
        ) as excess_count,
{% endif %}
        bool_and(
            gains.gain <= 0.000000001
                or gains.gain <= gains.largest_allowed + 0.000000001
        ) as satisfied
    from gains
    group by {{ keys.list("gains", class_key) }}
)
select
{{ keys.select("class_gains", class_key) }}    class_gains.largest_gain,
{% if excess %}
    case
        when class_gains.satisfied then 0
        else greatest(1, ceil(class_gains.excess_count - 0.000001))
    end as excess_rows,
{% endif %}
    class_gains.satisfied
from class_gains
