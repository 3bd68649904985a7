{#- CTEs of what classes publish in place of values, up to `shown_classes`: aggregated, coded, labels, rows, classes, least, most_names, person -#}
{% import "partition/_grid.sql" as grids %}
{% import "proof/_labels.sql" as label %}
{% import "release/_changed_values.sql" as changed %}
{% set modes = aggregated | selectattr("column.change.aggregate", "equalto", "mode") | list %}
{% set sets = aggregated | selectattr("column.change.aggregate", "equalto", "set") | list %}
{% set limit = "persons" if person else "rows" %}
read_rows as (
    -- the values in place of which others are published, as they are computed with
    select
        {{ rows }}.*,
{% for one in aggregated + coded %}
        {{ changed.read(rows ~ "." ~ (one.raw | ident), one.column) }} as read_{{ one.number }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ rows }}
){% for one in modes %}{% set number, value = one.number, "read_" ~ one.number %},
class_modes_{{ number }} as (
    -- one row per class with a value of {{ one.name | comment }}: of the most frequent the least
    select place, min(value) as mode
    from (
        select place, {{ value }} as value, count(*) as frequency, max(count(*)) over (partition by place) as most
        from read_rows
        where {{ value }} is not null
        group by place, {{ value }}
    ) as counted_values
    where frequency = most
    group by place
){% endfor %}{% for one in sets %}{% set number, value = one.number, "read_" ~ one.number %},
set_names_{{ number }} as (
    -- how a set names each value of {{ one.name | comment }}; null if fewer than {{ least }} {{ limit }} have it
    select
        value,
        text,
        count(*) over () as total,
        case
            when members >= {{ least }}
                then {{ label.name("text") | indent(12) }}
        end as name
    from (
        select
            {{ value }} as value,
            cast({{ value }} as varchar) as text,
            {{ "count(distinct " ~ (person | ident) ~ ")" if person else "count(*)" }} as members
        from read_rows
        where {{ value }} is not null
        group by {{ value }}
    ) as counted_values
),
class_sets_{{ number }} as (
    -- one row per class with a value
    select
        class_members.place,
        count(*) as value_count,
        count(*) <= {{ most_names }} and count(set_names.name) = count(*) as is_named,
        min(set_names.text) as least_value,
        string_agg(set_names.name, ', ' order by set_names.value) as names,
        min(set_names.total) as total
    from (select distinct place, {{ value }} as value from read_rows) as class_members
    inner join set_names_{{ number }} as set_names on set_names.value = class_members.value
    group by class_members.place
){% endfor %}{% if aggregated %},
class_values as (
    -- {{ limit }} of each class that have a value, and what is made of the values
    select
        place,
{% for one in labels if not classes %}
        min({{ one.alias | ident }}) as {{ one.alias | ident }},
{% endfor %}
{% for one in aggregated %}
{% set value, aggregate = "read_" ~ one.number, one.column.change.aggregate %}
{% if aggregate in ("mean", "sum") %}
        {{ changed.whole("sum(" ~ value ~ ")", one.column) }} as total_{{ one.number }},
{% elif aggregate == "median" %}
        {{ changed.whole("quantile_disc(" ~ value ~ ", 0.5)", one.column) }} as median_{{ one.number }},
{% elif aggregate == "interval" %}
        {{ grids.line(grids.exact("min(" ~ value ~ ")", one.column.grid), one.column.grid) | indent(8) }} as low_{{ one.number }},
        {{ grids.line(grids.exact("max(" ~ value ~ ")", one.column.grid), one.column.grid) | indent(8) }} as high_{{ one.number }},
{% endif %}
{% if person and aggregate == "mean" %}
        count({{ value }}) as count_{{ one.number }},
{% endif %}
        {{ "count(distinct case when " ~ value ~ " is not null then " ~ (person | ident) ~ " end)" if person else "count(" ~ value ~ ")" }} as members_{{ one.number }}{{ "," if not loop.last }}
{% endfor %}
    from read_rows
    group by place
),
shown_classes as (
    -- a value of fewer than {{ least }} {{ limit }} is not shown
    select
        class_values.place,
{% for one in labels %}
        {{ "published_classes" if classes else "class_values" }}.{{ one.alias | ident }},
{% endfor %}
{% for one in aggregated %}
{% set aggregate, column = one.column.change.aggregate, one.column %}
{% set counted = "class_values." ~ ("count_" if person else "members_") ~ one.number %}
{% set computed %}
{% if aggregate == "mode" %}
class_modes_{{ one.number }}.mode
{%- elif aggregate == "set" %}
{{ label.written_set("class_sets_" ~ one.number, "class_sets_" ~ one.number ~ ".total") | indent(4) }}
{%- elif aggregate == "interval" %}
'[' || {{ grids.text("class_values.low_" ~ one.number, column.grid) }}
    || ', ' || {{ grids.text("class_values.high_" ~ one.number, column.grid, true) }} || ')'
{%- elif aggregate == "median" %}
{{ changed.published(changed.units("class_values.median_" ~ one.number, column), column.change.places) if column.computed == "number" else "class_values.median_" ~ one.number }}
{%- else %}
{{ changed.published(changed.units("class_values.total_" ~ one.number, column, counted if aggregate == "mean" else ""), column.change.places) }}
{%- endif %}
{% endset %}
        case
            when class_values.members_{{ one.number }} >= {{ least }}
                then {{ computed | trim | indent(16) }}
        end as {{ one.alias | ident }}{{ "," if not loop.last }}
{% endfor %}
{% if classes %}
    from sqlanon.published_classes
    inner join class_values on class_values.place = published_classes.place
{% else %}
    from class_values
{% endif %}
{% for one in modes + sets %}
{% set found = "class_" ~ one.column.change.aggregate ~ "s_" ~ one.number %}
    left join {{ found }} on {{ found }}.place = class_values.place
{% endfor %}
){% endif %}
