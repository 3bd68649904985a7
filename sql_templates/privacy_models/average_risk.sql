{#- inputs: classes str, class_key list[str], scope list[str], unit bool, threshold Decimal, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- average_risk: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, one row per equivalence class
-- returns: one row per equivalence class
--   average_risk  classes / {{ "persons" if unit else "rows" }}, for this class and the larger ones   [0 to 1]
--   satisfied     average_risk <= {{ threshold | number }}, compared exactly; never null: if the risk
--                 of the whole table is too high, the smallest classes fail; of classes
--                 of equal size the last by key
-- nulls:   a null quasi-identifier is a value of its own
with larger_classes as (
    select
{{ keys.select("classes", class_key, true) }}        count(*) over larger as class_count,
        cast(sum(classes.class_size) over larger as bigint) as row_count
    from {{ keys.named(classes, "classes") }}
    window larger as (
{% if scope %}
        partition by {{ keys.list("classes", scope) }}
{% endif %}
        order by {{ keys.list("classes", class_key, ["classes.class_size desc"]) }}
        rows between unbounded preceding and current row
    )
)
select
{{ keys.select("larger_classes", class_key) }}    cast(larger_classes.class_count as double) / larger_classes.row_count as average_risk,
    larger_classes.class_count <= {{ threshold | number }} * larger_classes.row_count as satisfied
from larger_classes
