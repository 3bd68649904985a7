{#- inputs: unit bool, by_person bool, population bool, words int, attributes list[CodedAttribute] number name word masks, carried list[str], rounds int -#}
{% import "_passes.sql" as passes %}
-- placed_set: all rows with their labels in the pass that places them{{ ", refined" if rounds }}
-- reads:   frequency_set, classes_of_round_{{ rounds }}, generalized_values
-- returns: one row per row of frequency_set
{% for attribute in attributes %}
--   level_{{ attribute.number }}   level of {{ attribute.name | comment }}, and label_{{ attribute.number }} its label there
{% endfor %}
--   key_1, ...  packed values
-- nulls:   levels are null for rows that no pass places; a missing value has no label
select
{% for attribute in attributes %}
    placed.level_{{ attribute.number }},
    labels_{{ attribute.number }}.label as label_{{ attribute.number }},
{% endfor %}
{% for word in range(1, words + 1) %}
    frequency_set.key_{{ word }},
{% endfor %}
{% for column in carried %}
    frequency_set.{{ column }},
{% endfor %}
{% if unit %}
    frequency_set.person,
{% endif %}
{% if population %}
    frequency_set.population_count,
{% endif %}
    frequency_set.row_count
from sqlanon.frequency_set
left join sqlanon.classes_of_round_{{ rounds }} as placed
{% for word in range(1, words + 1) %}
    {{ "on" if loop.first else "and" }} placed.key_{{ word }} = frequency_set.key_{{ word }}
{% endfor %}
{% if by_person %}
    and placed.person = frequency_set.person
{% endif %}
{{ passes.labels(attributes, "placed") -}}
