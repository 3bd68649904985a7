{#- CTEs up to `placed`: the levels of each combination in the pass that places it: `nodes`, `words`, `unit`, `size`, `attributes` -#}
{% import "_passes.sql" as passes %}
combinations as (
    select {% for word in range(1, words + 1) %}key_{{ word }}, {% endfor %}{{ "person, " if unit }}cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by {% for word in range(1, words + 1) %}key_{{ word }}{{ ", " if unit or not loop.last }}{% endfor %}{{ "person" if unit }}

),
{% for number, _, masks in nodes %}
{% set keys = [] %}
{% for mask in masks %}{% set _ = keys.append("key_" ~ loop.index ~ " & " ~ mask) %}{% endfor %}
{% set earlier = "" if loop.first else "pass_" ~ (number - 1) %}
{{ passes.placed(
    number, "pass_" ~ number, earlier, earlier or "combinations", keys, "row_count",
    "person" if unit else "", "member_" ~ number, size,
) }}
{% endfor %}
pass_levels (pass{% for word in range(1, words + 1) %}, mask_{{ word }}{% endfor %}{% for attribute in attributes %}, level_{{ attribute.number }}{% endfor %}) as (
    values
{% for number, levels, masks in nodes %}
        ({{ ([number] + masks + levels) | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
)
