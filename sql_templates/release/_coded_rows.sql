{#- CTEs up to `coded_rows`: the rows with coded and rounded values, if there are any: coded, least, person -#}
{% if coded %},
rounded_rows as (
    select
        read_rows.*,
{% for one in coded %}
        {{ changed.rounded("read_rows.read_" ~ one.number, one.column) }} as rounded_{{ one.number }}{{ "," if not loop.last }}
{% endfor %}
    from read_rows
){% for one in coded %}{% for side, end in one.column.change.ends.items() if end == "auto" %}
{% set extreme = "max" if side == "top" else "min" %},
{{ side }}_{{ one.number }} as (
    -- the {{ "highest" if side == "top" else "lowest" }} value of {{ one.name | comment }} that {{ least }} published {{ limit }} reach
    select {{ extreme }}(case when reached >= {{ least }} then value end) as value
    from (
        select value, sum(value_count) over (order by value{{ " desc" if side == "top" }}) as reached
        from (
            select value, count(value) as value_count
            from (
                select {{ extreme ~ "(rounded_" ~ one.number ~ ")" if person else "rounded_" ~ one.number }} as value
                from rounded_rows{{ "\n                group by " ~ (person | ident) if person }}
            ) as reached_values
            group by value
        ) as counted_values
    ) as values_in_order
){% endfor %}{% endfor %},
coded_rows as (
    select
        rounded_rows.*,
{% for one in coded %}
{% set value = "rounded_rows.rounded_" ~ one.number %}
{% if one.column.change.ends %}
        case
{% for side in one.column.change.ends %}
{% set end = changed.end(side, one.number, one.column) %}
            when {{ value }} {{ ">" if side == "top" else "<" }} {{ end }} then {{ end }}
{% endfor %}
            else {{ value }}
        end as coded_{{ one.number }}{{ "," if not loop.last }}
{% else %}
        {{ value }} as coded_{{ one.number }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
    from rounded_rows
){% endif %}
