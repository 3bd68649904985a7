{#- inputs: size int, unit bool, words int, nodes list[tuple[int, list[int]]] number masks, attributes list[tuple[int, str, int, list[tuple[int, int]]]] number name word levels, carried list[str] -#}
{% import "_passes.sql" as passes %}
-- placed_set: all rows with their labels in the pass that places them
-- reads:   frequency_set, generalized_values
-- returns: one row per row of frequency_set
--   pass      the first pass at whose node {{ size }} {{ "persons" if unit else "rows" }} that wait have the row's label
{% for number, name, _, _ in attributes %}
--   level_{{ number }}   level of {{ name | comment }} in this pass, and label_{{ number }} its label there
{% endfor %}
-- nulls:   pass and levels are null for rows that no pass places; a missing value has no label
with combinations as (
    select {% for word in range(1, words + 1) %}key_{{ word }}, {% endfor %}{{ "person, " if unit }}cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by {% for word in range(1, words + 1) %}key_{{ word }}{{ ", " if unit or not loop.last }}{% endfor %}{{ "person" if unit }}

),
{% for number, masks in nodes %}
{% set keys = [] %}
{% for mask in masks %}{% set _ = keys.append("key_" ~ loop.index ~ " & " ~ mask) %}{% endfor %}
{% set earlier = "" if loop.first else "pass_" ~ (number - 1) %}
{{ passes.placed(
    number, "pass_" ~ number, earlier, earlier or "combinations", keys, "row_count",
    "person" if unit else "", "member_" ~ number, size,
) }}
{% endfor %}
placed_combinations as (
    select {% for word in range(1, words + 1) %}key_{{ word }}, {% endfor %}{{ "person, " if unit }}pass_{{ nodes | length }} as pass
    from pass_{{ nodes | length }}
),
pass_levels (pass{% for number, _, _, _ in attributes %}, level_{{ number }}, mask_{{ number }}{% endfor %}) as (
    values
{% for number, _ in nodes %}
{% set place = loop.index0 %}
        ({{ number }}{% for _, _, _, levels in attributes %}, {{ levels[place][0] }}, {{ levels[place][1] }}{% endfor %}){{ "," if not loop.last }}
{% endfor %}
)
select
    placed_combinations.pass,
{% for number, _, _, _ in attributes %}
    pass_levels.level_{{ number }},
    labels_{{ number }}.label as label_{{ number }},
{% endfor %}
{% for column in carried %}
    frequency_set.{{ column }},
{% endfor %}
{% if unit %}
    frequency_set.person,
{% endif %}
    frequency_set.row_count
from sqlanon.frequency_set
inner join placed_combinations
{% for word in range(1, words + 1) %}
    {{ "on" if loop.first else "and" }} placed_combinations.key_{{ word }} = frequency_set.key_{{ word }}
{% endfor %}
{% if unit %}
    and placed_combinations.person = frequency_set.person
{% endif %}
left join pass_levels on pass_levels.pass = placed_combinations.pass
{% for number, name, word, _ in attributes %}
left join sqlanon.generalized_values as labels_{{ number }}
    on labels_{{ number }}.attribute = {{ name | text }}
    and labels_{{ number }}.level = pass_levels.level_{{ number }}
    and labels_{{ number }}.code = frequency_set.key_{{ word }} & pass_levels.mask_{{ number }}
{% endfor %}
