{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro delta_presence_sql(classes=none, class_key=none, excess=false, unit=none, dmin=none, dmax=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- delta_presence: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", one row per equivalence class, population_size included") }}
-- returns: one row per equivalence class
--   presence    {{ "persons" if unit else "published rows" }} / rows of the population in the class   [0 to 1]
--   satisfied   {{ sqlanon.number(dmin) }} <= presence <= {{ sqlanon.number(dmax) }}, compared exactly; never null
{%- if excess %}
{{ sqlanon.keys_excess_title() }}
--                 the rows above the largest allowed share of the class's population
{%- endif %}
-- nulls:   a null quasi-identifier is a value of its own
select
{{ sqlanon.keys_select("classes", class_key) }}    case
        when classes.population_size > 0
            then cast(classes.class_size as {{ sqlanon.double() }}) / classes.population_size
        else cast('infinity' as {{ sqlanon.double() }})
    end as presence,
{%- if excess %}
    case
        when classes.class_size > {{ sqlanon.number(dmax) }} * classes.population_size
            then greatest(1, ceil(classes.class_size - {{ sqlanon.number(dmax) }} * classes.population_size))
        when classes.class_size < {{ sqlanon.number(dmin) }} * classes.population_size then 1
        else 0
    end as excess_rows,
{%- endif %}
    classes.class_size >= {{ sqlanon.number(dmin) }} * classes.population_size
        and classes.class_size <= {{ sqlanon.number(dmax) }} * classes.population_size as satisfied
from {{ sqlanon.keys_named(classes, "classes") }}
{%- endmacro %}
