{#- CTEs of what classes publish in place of values, up to `shown_classes`: aggregated, coded, labels, rows, classes, least, person -#}
{% import "release/_changed_values.sql" as changed %}
{% set modes = aggregated | selectattr("column.change.aggregate", "equalto", "mode") | list %}
{% set limit = "persons" if person else "rows" %}
read_rows as (
    -- the values in place of which others are published, as they are computed with
    select
        {{ rows }}.*,
{% for one in aggregated + coded %}
        {{ changed.read(rows ~ "." ~ (one.raw | ident), one.column) }} as read_{{ one.number }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ rows }}
){% if modes %},
counted_rows as (
    -- how many rows of its class have the value of a row
    select
        read_rows.*,
{% for one in modes %}
        count(read_{{ one.number }}) over (partition by place, read_{{ one.number }}) as frequency_{{ one.number }}{{ "," if not loop.last }}
{% endfor %}
    from read_rows
){% endif %}{% if aggregated %},
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
{% else %}
        first({{ value }} order by frequency_{{ one.number }} desc, {{ value }}) as mode_{{ one.number }},
{% endif %}
{% if person and aggregate == "mean" %}
        count({{ value }}) as count_{{ one.number }},
{% endif %}
        {{ "count(distinct case when " ~ value ~ " is not null then " ~ (person | ident) ~ " end)" if person else "count(" ~ value ~ ")" }} as members_{{ one.number }}{{ "," if not loop.last }}
{% endfor %}
    from {{ "counted_rows" if modes else "read_rows" }}
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
class_values.mode_{{ one.number }}
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
    from class_values
{% if classes %}
    inner join sqlanon.published_classes on published_classes.place = class_values.place
{% endif %}
){% endif %}
