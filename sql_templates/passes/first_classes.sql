{#- inputs: size int, unit bool, population bool, words int, nodes list[tuple[int, list[int], list[int]]] number levels masks, attributes list[CodedAttribute] number name word masks -#}
{% import "_passes.sql" as passes %}
-- classes_of_round_0: the classes that passes make
-- reads:   frequency_set
-- returns: one row per distinct combination{{ " and person" if unit }} that a pass places: the first at whose node {{ size }} {{ "persons" if unit else "rows" }}{{ " of the population" if population }} that wait have its label
--   class       number of the class
--   changed     round in which it was made                  [1]
{% for attribute in attributes %}
--   level_{{ attribute.number }}     level of {{ attribute.name | comment }}
{% endfor %}
--   row_count   {{ "rows of the population" if population else "source rows           " }}                      [rows]
with {% include "passes/_combinations.sql" %},
{% for number, _, masks in nodes %}
{% set keys = [] %}
{% for mask in masks %}{% set _ = keys.append("key_" ~ loop.index ~ " & " ~ mask) %}{% endfor %}
{{ passes.waiting(
    number, "combinations", size, keys,
    "max(member_" ~ number ~ ")" if unit else "sum(row_count)",
    "person" if unit else "", "member_" ~ number, "members_" ~ number,
    "" if loop.first else "members_" ~ (number - 1),
) }}
{% endfor %}
placed_rows as (
{% for number, _, _ in nodes %}
    select {% for word in range(1, words + 1) %}key_{{ word }}, {% endfor %}{{ "person, " if unit }}row_count, {{ number }} as pass
    from pass_{{ number }}
    where members_{{ number }} >= {{ size }}
{{ "    union all\n" if not loop.last -}}
{% endfor %}
),
pass_levels (pass{% for word in range(1, words + 1) %}, mask_{{ word }}{% endfor %}{% for attribute in attributes %}, level_{{ attribute.number }}{% endfor %}) as (
    values
{% for number, levels, masks in nodes %}
        ({{ ([number] + masks + levels) | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
)
select
{% for word in range(1, words + 1) %}
    key_{{ word }},
{% endfor %}
{% if unit %}
    person,
{% endif %}
    row_count,
    dense_rank() over (
        order by pass_levels.pass{% for word in range(1, words + 1) %}, key_{{ word }} & mask_{{ word }}{% endfor %}

    ) as class,
    0 as changed,
{% for attribute in attributes %}
    level_{{ attribute.number }}{{ "," if not loop.last }}
{% endfor %}
from placed_rows
inner join pass_levels on pass_levels.pass = placed_rows.pass
