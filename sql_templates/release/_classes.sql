{#- CTEs of the classes of `generalized`, and of the values that promises count in them: `count`, a Counting -#}
{% macro counted(column) -%}
{{ "cast(sum(" ~ column ~ ") as bigint)" if count.row_count else "count(*)" }}
{%- endmacro %}
{% macro size(rows, alias="") -%}
{% if count.unit %}
count(distinct {{ alias }}{{ count.unit | ident }})
{%- elif rows == "generalized" %}
{{ counted("generalized.row_count") }}
{%- else %}
cast(sum({{ alias }}{{ "row_count" if rows in ("combinations", "numbered_combinations") else "value_count" }}) as bigint)
{%- endif %}
{%- endmacro %}
{% set members = "count(distinct " ~ (count.unit_in_source | ident) ~ ")" if count.unit else counted(count.row_count | ident) %}
{% for table in count.tables %}
{{ table.name | ident }} as (
    -- the values of {{ table.attribute | comment }} in the whole table, numbered by number and text
    select text, number, place, place as value, row_count, table_size
    from (
        select
            text,
            try_cast(text as double) as number,
            row_number() over (order by try_cast(text as double) nulls last, text nulls last) as place,
            row_count
        from (
            select {{ table.text }} as text, {{ members }} as row_count
            from {{ count.source }}
            group by {{ table.text }}
        ) as counted_values
    ) as placed_values
    cross join (
        select {{ members }} as table_size
        from {{ count.source }}
    ) as table_sizes
),
{% if table.hierarchy %}
{{ table.hierarchy | ident }} as (
{{ table.rule }}
),
{{ table.levels | ident }} as (
    -- the labels of the values of {{ table.attribute | comment }} at each level
{% for level in range(table.level_count) %}
    {{ "union all " if level }}select {{ table.name | ident }}.value, {{ level }} as level, labels.level_{{ level }} as label
    from {{ table.name | ident }}
    left join {{ table.hierarchy | ident }} as labels on labels.level_0 = {{ table.name | ident }}.text
{% endfor %}
),
{% endif %}
{% endfor %}
{% if count.combined %}
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select {{ k.list("", count.combined) }}, {{ counted("generalized.row_count") }} as row_count
    from generalized
    group by {{ k.list("", count.combined) }}
),
{% endif %}
{% macro classes() %}
classes as (
{% if count.population or count.numbered %}
    select
{% if count.numbered %}
        -- numbered in the order in which the search tries them
        0 as node,
        row_number() over (order by {{ k.list("counted_classes", count.order) }}) as class_number,
{% endif %}
        {{ k.list("counted_classes", keys) }},
        counted_classes.class_size{{ "," if count.unit or count.population }}
{% if count.unit %}
        counted_classes.row_count{{ "," if count.population }}
{% endif %}
{% if count.population %}
        coalesce(population_classes.population_size, 0) as population_size
{% endif %}
    from (
        select {{ k.list("", keys) }}{% for name in count.order if name not in keys %}, min({{ name | ident }}) as {{ name | ident }}{% endfor %}, {{ size(count.classes_from) }} as class_size{{ ", cast(sum(row_count) as bigint) as row_count" if count.unit }}
        from {{ count.classes_from }}
        group by {{ k.list("", keys) }}
    ) as counted_classes
{% if count.population %}
    left join population_classes
{{ k.join("population_classes", "counted_classes", keys) -}}
{% endif %}
{% else %}
    select {{ k.list("", keys) }}, {{ size(count.classes_from) }} as class_size
    from {{ count.classes_from }}
    group by {{ k.list("", keys) }}
{% endif %}
),
{% endmacro %}
{% if count.classes_first %}{{ classes() }}{% endif %}
{% if count.numbered and count.values %}
numbered_combinations as (
    select classes.node, classes.class_number, combinations.*
    from combinations
    inner join classes
{{ k.join("classes", "combinations", keys) -}}
),
{% endif %}
{% for one in count.values %}
{{ one.name | ident }} as (
{% if one.table_values %}
    select {{ k.list(count.rows, count.key) }}{% for name, known in one.known %}, {{ count.rows }}.{{ known | ident }} as {{ name }}{% endfor %}, {{ one.table_values | ident }}.value, {{ size(count.rows, count.rows ~ ".") }} as value_count
    from {{ count.rows }}
    inner join {{ one.table_values | ident }}
        on {{ one.table_values | ident }}.text is not distinct from {{ one.text }}
    group by {{ k.list(count.rows, count.key) }}{% for name, known in one.known %}, {{ count.rows }}.{{ known | ident }}{% endfor %}, {{ one.table_values | ident }}.value
{% else %}
    select {{ k.list("", count.key) }}{% for name, known in one.known %}, {{ known | ident }} as {{ name }}{% endfor %}, {{ (one.column | ident) if one.column else "0" }} as value, {{ size(count.rows) }} as value_count
    from {{ count.rows }}
    group by {{ k.list("", count.key) }}{% for name, known in one.known %}, {{ known | ident }}{% endfor %}{{ ", " ~ (one.column | ident) if one.column }}
{% endif %}
),
{% if one.totals %}
{{ one.totals | ident }} as (
    select {{ k.list("", count.key) }}{% for name, known in one.known %}, {{ known | ident }} as {{ name }}{% endfor %}, {{ size(count.rows) }} as class_size
    from {{ count.rows }}
    group by {{ k.list("", count.key) }}{% for name, known in one.known %}, {{ known | ident }}{% endfor %}

),
{% endif %}
{% endfor %}
{% if not count.classes_first %}{{ classes() }}{% endif %}
