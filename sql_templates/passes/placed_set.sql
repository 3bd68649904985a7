{#- inputs: size int, unit bool, words int, nodes list[tuple[int, list[int], list[int]]] number levels masks, attributes list[CodedAttribute] number name word masks, carried list[str], rounds int | None -#}
{% import "_passes.sql" as passes %}
-- placed_set: all rows with their labels in the pass that places them{{ ", refined" if rounds is not none }}
-- reads:   frequency_set, generalized_values{{ ", classes_of_round_" ~ rounds if rounds is not none }}
-- returns: one row per row of frequency_set
{% if rounds is none %}
--   it is placed by the first pass at whose node {{ size }} {{ "persons" if unit else "rows" }} that wait have its label
{% endif %}
{% for attribute in attributes %}
--   level_{{ attribute.number }}   level of {{ attribute.name | comment }}, and label_{{ attribute.number }} its label there
{% endfor %}
-- nulls:   levels are null for rows that no pass places; a missing value has no label
{% if rounds is none %}
with {% include "passes/_placed.sql" %},
placed as (
    select placed_rows.*{% for attribute in attributes %}, pass_levels.level_{{ attribute.number }}{% endfor %}

    from pass_{{ nodes | length }} as placed_rows
    inner join pass_levels on pass_levels.pass = placed_rows.pass_{{ nodes | length }}
)
{% endif %}
select
{% for attribute in attributes %}
    placed.level_{{ attribute.number }},
    labels_{{ attribute.number }}.label as label_{{ attribute.number }},
{% endfor %}
{% for column in carried %}
    frequency_set.{{ column }},
{% endfor %}
{% if unit %}
    frequency_set.person,
{% endif %}
    frequency_set.row_count
from sqlanon.frequency_set
left join {{ "placed" if rounds is none else "sqlanon.classes_of_round_" ~ rounds ~ " as placed" }}
{% for word in range(1, words + 1) %}
    {{ "on" if loop.first else "and" }} placed.key_{{ word }} = frequency_set.key_{{ word }}
{% endfor %}
{% if unit %}
    and placed.person = frequency_set.person
{% endif %}
{{ passes.labels(attributes, "placed") -}}
