{#- inputs: key str, measures list[tuple[str, str, str]], position str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- valued_partition: ") %}
the information loss of a partition by {% for _, title, _ in measures %}{{ ", " if not loop.first }}{{ title | comment }}{% endfor %}

{% endcall %}
-- reads:   class_cells{{ ", class_labels" if position }}, and what the measures read
-- returns: one row: the cost by each measure; lower is better
with decided_classes as (
{% if position %}
    -- classes with the same labels are one class to a reader
    select
        0 as node,
        class_labels.{{ position | ident }} as class_1,
        cast(sum(class_cells.row_count) as bigint) as class_size,
        true as published
    from sqlanon.class_cells
    inner join sqlanon.class_labels on class_labels.{{ key | ident }} = class_cells.class
    group by class_labels.{{ position | ident }}
    having sum(class_cells.row_count) > 0
{% else %}
    select
        0 as node,
        class as class_1,
        cast(sum(row_count) as bigint) as class_size,
        true as published
    from sqlanon.class_cells
    group by class
    having sum(row_count) > 0
{% endif %}
),
{% for by, _, measure_sql in measures %}
{{ by | ident }} as (
{{ measure_sql | indent(4, first=true) }}
){{ "," if not loop.last }}
{% endfor %}
select
{% for by, _, _ in measures %}
    {{ by | ident }}.cost as {{ by | ident }}{{ "," if not loop.last }}
{% endfor %}
{% for by, _, _ in measures %}
{{ "from" if loop.first else "cross join" }} {{ by | ident }}
{% endfor %}
