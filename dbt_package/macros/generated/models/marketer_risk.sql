{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro marketer_risk_sql(classes=none, class_key=none, scope=[], unit=none, threshold=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- marketer_risk: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", one row per equivalence class, population_size included") }}
-- returns: one row per equivalence class
--   marketer_risk  mean of 1 / population_size over the {{ "persons" if unit else "rows" }} of this class and of classes
--                  with larger populations   [0 to 1]
--   satisfied      marketer_risk <= {{ sqlanon.number(threshold) }}, within a tolerance of 1e-9; never null: if the
--                  risk of the whole table is too high, the classes of the smallest
--                  populations fail; of classes with equal populations the last by key
-- nulls:   a null quasi-identifier is a value of its own
with larger_classes as (
    select
{{ sqlanon.keys_select("classes", class_key, true) }}        sum(
            case
                when classes.population_size > 0
                    then cast(classes.class_size as {{ sqlanon.double() }}) / classes.population_size
                else cast('infinity' as {{ sqlanon.double() }})
            end
        ) over larger
            / sum(classes.class_size) over larger as marketer_risk
    from {{ sqlanon.keys_named(classes, "classes") }}
    window larger as (
{%- if scope %}
        partition by {{ sqlanon.keys_list("classes", scope) }}
{%- endif %}
        order by {{ sqlanon.keys_list("classes", class_key, ["classes.population_size desc"]) }}
        rows between unbounded preceding and current row
    )
)
select
{{ sqlanon.keys_select("larger_classes", class_key) }}    larger_classes.marketer_risk,
    larger_classes.marketer_risk <= {{ sqlanon.number(threshold) }} + 0.000000001 as satisfied
from larger_classes
{%- endmacro %}
