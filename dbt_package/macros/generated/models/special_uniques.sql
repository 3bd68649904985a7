{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro special_uniques_sql(classes=none, class_key=none, labels=none, scope=[], excess=false, unit=none, size=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- special_uniques: ", promise, source) }}
-- reads:   {{ classes }}, one row per equivalence class
-- returns: one row per equivalence class
{%- if size >= labels | length %}
--   unique_sets  1 if the class is a single {{ "person" if unit else "row" }}: the set of all quasi-identifiers   [sets]
{%- else %}
--   unique_sets  sets of {{ sqlanon.number(size) }} quasi-identifier{{ "s" if size > 1 }} on which the class is a single row   [sets]
{%- endif %}
--   satisfied    unique_sets = 0; never null
{%- if excess %}
{{ sqlanon.keys_excess_title() }}
--                all rows of a failing class, as they are alone in finer ones, too
{%- endif %}
-- nulls:   a null quasi-identifier is a value of its own
{%- set chosen = namespace(sets=[[]], names=[]) %}
{%- for place in range(size if size < labels | length else 0) %}
{%- set longer = namespace(sets=[]) %}
{%- for members in chosen.sets %}
{%- for number in range((members | last if members else 0) + 1, labels | length + 1) %}
{%- set longer.sets = longer.sets + [members + [number]] %}
{%- endfor %}
{%- endfor %}
{%- set chosen.sets = longer.sets %}
{%- endfor %}
{%- for label in labels %}
{%- set chosen.names = chosen.names + ["label_" ~ loop.index] %}
{%- endfor %}
{%- set column_names = chosen.names %}
{%- set sets = chosen.sets %}
{%- set shows_sets = false %}
{%- set counted_from = "labeled_classes" %}
{%- set counted = "sum(class_size)" %}
{%- set lone = "min(class_place) as class_place" %}
{%- if size >= labels | length %}
select
{{ sqlanon.keys_select("classes", class_key) }}    case when classes.class_size > 1 then 0 else 1 end as unique_sets,
{%- if excess %}
    case when classes.class_size > 1 then 0 else classes.class_size end as excess_rows,
{%- endif %}
    classes.class_size > 1 as satisfied
from {{ sqlanon.keys_named(classes, "classes") }}
{%- else %}
with labeled_classes as (
    select
{{ sqlanon.keys_select("classes", class_key, true) }}        classes.class_size,
{%- for label in labels %}
        classes.{{ label }} as label_{{ loop.index }},
{%- endfor %}
        row_number() over (order by {{ sqlanon.keys_list("classes", class_key) }}) as class_place
    from {{ sqlanon.keys_named(classes, "classes") }}
),
-- of each set of labels, the classes that are a single row; who is alone on fewer is one
{#- CTE `lone_cells`: for every set of columns the combinations that one row has, or one person -#}
{%- set all = column_names | length %}
lone_cells as (
{%- if shows_sets %}
    -- members: the columns of the set, a bit each, the first is the highest
{%- endif %}
{%- for numbers in sets %}
{%- set of = namespace(bits=0, names=[]) %}
{%- for number in numbers %}
{%- set of.bits = of.bits + 2 ** (all - number) %}
{%- set of.names = of.names + [column_names[number - 1]] %}
{%- endfor %}
    {{ "union all " if not loop.first }}select {{ of.bits ~ " as members, " if shows_sets }}{{ lone }} from {{ counted_from }}
    group by {{ scope | join(", ") ~ ", " if scope }}{{ of.names | join(", ") }} having {{ counted }} = 1
{%- endfor %}
)
,
lone_classes as (
    select class_place, count(*) as set_count
    from lone_cells
    group by class_place
)
select
{{ sqlanon.keys_select("labeled_classes", class_key) }}    coalesce(lone_classes.set_count, 0) as unique_sets,
{%- if excess %}
    case when lone_classes.set_count is null then 0 else labeled_classes.class_size end as excess_rows,
{%- endif %}
    lone_classes.set_count is null as satisfied
from labeled_classes
left join lone_classes on lone_classes.class_place = labeled_classes.class_place
{%- endif %}
{%- endmacro %}
