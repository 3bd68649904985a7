{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro journalist_risk_sql(classes=none, class_key=none, scope=[], excess=false, unit=none, threshold=none, share=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- journalist_risk: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", one row per equivalence class, population_size included") }}
{%- set size = "population_size" %}
{#- the rest of a risk of which a share of the rows may have more: 1 / `size`, a column of the classes -#}
{%- set ranked = "larger_classes" if share else "classes" %}
{%- set risk %}
{%- if size == "population_size" %}
    case
        when {{ ranked }}.{{ size }} > 0 then 1.0 / cast({{ ranked }}.{{ size }} as {{ sqlanon.double() }})
        else cast('infinity' as {{ sqlanon.double() }})
    end as highest_risk,
{%- else %}
    1.0 / cast({{ ranked }}.{{ size }} as {{ sqlanon.double() }}) as highest_risk,
{%- endif %}
{%- endset %}
-- returns: one row per equivalence class
--   highest_risk  1 / {{ size }}   [0 to 1]
{%- if share %}
--   risky_share   share of {{ "persons" if unit else "rows" }} with a risk above {{ sqlanon.number(threshold) }} in this class and
--                 the classes of lower risk   [0 to 1]
--   satisfied     risky_share <= {{ sqlanon.number(share) }}, compared exactly; never null: if the share
--                 of the whole table is too high, the classes of the highest risk fail; of
--                 classes with equal risk the last by key
{%- else %}
--   satisfied     highest_risk <= {{ sqlanon.number(threshold) }}, compared exactly; never null
{%- endif %}
{%- if excess and not share %}
{{ sqlanon.keys_excess_title() }}
--                 all rows of a failing class
{%- endif %}
-- nulls:   a null quasi-identifier is a value of its own
{%- if share %}
with larger_classes as (
    select
{{ sqlanon.keys_select("classes", class_key, true) }}        classes.{{ size }},
        cast(
            sum(
                case
                    when {{ sqlanon.number(threshold) }} * classes.{{ size }} < 1 then classes.class_size
                    else 0
                end
            ) over larger as bigint
        )
            as risky_rows,
        cast(sum(classes.class_size) over larger as bigint) as row_count
    from {{ sqlanon.keys_named(classes, "classes") }}
    window larger as (
{%- if scope %}
        partition by {{ sqlanon.keys_list("classes", scope) }}
{%- endif %}
        order by {{ sqlanon.keys_list("classes", class_key, ["classes." ~ size ~ " desc"]) }}
        rows between unbounded preceding and current row
    )
)
select
{{ sqlanon.keys_select("larger_classes", class_key) }}{{ risk }}    cast(larger_classes.risky_rows as {{ sqlanon.double() }}) / larger_classes.row_count as risky_share,
    larger_classes.risky_rows <= {{ sqlanon.number(share) }} * larger_classes.row_count as satisfied
from larger_classes
{%- else %}
select
{{ sqlanon.keys_select("classes", class_key) }}{{ risk }}{% if excess %}
    case
        when {{ sqlanon.number(threshold) }} * classes.{{ size }} >= 1 then 0
        else classes.class_size
    end as excess_rows,
{%- endif %}
    {{ sqlanon.number(threshold) }} * classes.{{ size }} >= 1 as satisfied
from {{ sqlanon.keys_named(classes, "classes") }}
{%- endif %}
{%- endmacro %}
