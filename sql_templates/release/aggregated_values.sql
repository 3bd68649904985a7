{#- inputs: columns list[Published], rows str, person str, least int -#}
{% set members = "persons" if person else "rows" %}
-- aggregated_values: what is left of the values of which one is published a class
-- source:  IL = SSE / SST, the sums of squares within classes and about the mean of all
--          (Domingo-Ferrer and Mateo-Sanz 2002)
-- reads:   {{ rows }}
-- returns: one row per column
--   attribute        the column
--   class_count      classes that publish a value                     [classes]
--   withheld_rows    rows with a value in the others                  [rows]
--   smallest_class   fewest {{ members }} with a value in a class that publishes one
--   largest_share    largest share of one of the {{ members }} in a sum of absolute values, 0 to 1
--   sse, sst         of the classes that publish a value; about their means, or their medians
-- nulls:   what is no number has no shares and no squares
with read_rows as (
    select
        place,
{% for one in columns %}
{% set value = rows ~ "." ~ (one.raw | ident) %}
        {{ "cast(" ~ value ~ " as double)" if one.column.has_squares else "case when " ~ value ~ " is not null then 0 end" }} as value_{{ one.number }}{{ "," if person or not loop.last }}
{% endfor %}
{% if person %}
        {{ rows }}.{{ person | ident }} as member
{% endif %}
    from sqlanon.{{ rows }}
),
{% for one in columns %}
{% set value, number = "value_" ~ one.number, one.number %}
class_values_{{ number }} as (
    select
        place,
        count({{ value }}) as value_count,
        count({{ "distinct case when " ~ value ~ " is not null then member end" if person else value }}) as members,
        avg({{ value }}) as mean,
        var_pop({{ value }}) as variance,
        {{ "quantile_disc" if one.column.change.aggregate == "median" else "avg" }}({{ value }}{{ ", 0.5" if one.column.change.aggregate == "median" }}) as center
    from read_rows
    group by place
),
class_shares_{{ number }} as (
    -- the largest part of each sum
    select place, max(amount) / nullif(sum(amount), 0) as largest_share
    from (
        select place, {{ "sum(abs(" ~ value ~ "))" if person else "abs(" ~ value ~ ")" }} as amount
        from read_rows{{ "\n        group by place, member" if person }}
    ) as amounts
    group by place
),
shown_classes_{{ number }} as (
    select class_values.*, class_shares.largest_share
    from class_values_{{ number }} as class_values
    inner join class_shares_{{ number }} as class_shares on class_shares.place = class_values.place
    where class_values.members >= {{ least | number }}
),
means_{{ number }} as (
    select
        sum(value_count * mean) / nullif(sum(value_count), 0) as mean_of_all,
        sum(value_count) as value_count
    from shown_classes_{{ number }}
){{ "," if not loop.last }}
{% endfor %}
{% for one in columns %}
{% set number = one.number %}
{{ "union all " if not loop.first }}select
    {{ one.name | text }} as attribute,
    count(*) as class_count,
    (select cast(coalesce(sum(value_count), 0) as bigint) from class_values_{{ number }} where members < {{ least | number }}) as withheld_rows,
    min(shown_classes.members) as smallest_class,
{% if one.column.has_squares %}
    max(shown_classes.largest_share) as largest_share,
    sum(shown_classes.value_count * (shown_classes.variance + (shown_classes.mean - shown_classes.center) * (shown_classes.mean - shown_classes.center))) as sse,
    sum(shown_classes.value_count * (shown_classes.variance + (shown_classes.mean - means.mean_of_all) * (shown_classes.mean - means.mean_of_all))) as sst
{% else %}
    cast(null as double) as largest_share,
    cast(null as double) as sse,
    cast(null as double) as sst
{% endif %}
from shown_classes_{{ number }} as shown_classes
cross join means_{{ number }} as means
{% endfor %}
