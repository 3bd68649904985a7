{#- inputs: size int, unit bool, words int, nodes list[tuple[int, list[int], list[int]]] number levels masks, attributes list[CodedAttribute] number name word masks -#}
-- classes_of_round_0: the classes that passes make, before they are refined
-- reads:   frequency_set
-- returns: one row per distinct combination that a pass places{{ ", and person" if unit }}
--   class       number of the class
--   changed     round in which it was made                  [1]
{% for attribute in attributes %}
--   level_{{ attribute.number }}     level of {{ attribute.name | comment }}
{% endfor %}
--   row_count   source rows                                 [rows]
with {% include "passes/_placed.sql" %}

select
{% for word in range(1, words + 1) %}
    key_{{ word }},
{% endfor %}
{% if unit %}
    person,
{% endif %}
    row_count,
    dense_rank() over (
        order by pass{% for word in range(1, words + 1) %}, key_{{ word }} & mask_{{ word }}{% endfor %}

    ) as class,
    0 as changed,
{% for attribute in attributes %}
    level_{{ attribute.number }}{{ "," if not loop.last }}
{% endfor %}
from pass_{{ nodes | length }} as placed_rows
inner join pass_levels on pass_levels.pass = placed_rows.pass_{{ nodes | length }}
