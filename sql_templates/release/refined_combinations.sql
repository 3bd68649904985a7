{#- inputs: labels dict[str, str], attributes list[CodedAttribute] number name word masks, words int, keys list[str], rounds int -#}
{% import "_passes.sql" as passes %}
-- placed_combinations: the labels of each combination, as refined in {{ rounds }} rounds
-- reads:   source_combinations, value_codes, classes_of_round_{{ rounds }}, generalized_values
-- returns: one row per combination of quasi-identifiers that a pass places
with value_combinations as (
    select distinct {% for attribute in attributes %}{{ attribute.name | ident }}{{ ", " if not loop.last }}{% endfor %}

    from sqlanon.source_combinations
),
combinations as (
    -- the same with their packed keys
    select
        value_combinations.*,
{% for word in range(1, words + 1) %}
{% set last_word = loop.last %}
{% for attribute in attributes if attribute.word == word %}
        {{ "+ " if not loop.first }}codes_{{ attribute.number }}.key_{{ word }}{{ " as " ~ (keys[word - 1] | ident) if loop.last }}{{ "," if loop.last and not last_word }}
{% endfor %}
{% endfor %}
    from value_combinations
{% for attribute in attributes %}
    left join sqlanon.value_codes as codes_{{ attribute.number }}
        on codes_{{ attribute.number }}.attribute = {{ attribute.name | text }}
        and codes_{{ attribute.number }}.value
            is not distinct from cast(value_combinations.{{ attribute.name | ident }} as varchar)
{% endfor %}
),
refined as (
    select distinct {% for word in range(1, words + 1) %}key_{{ word }}, {% endfor %}{% for attribute in attributes %}level_{{ attribute.number }}{{ ", " if not loop.last }}{% endfor %}

    from sqlanon.classes_of_round_{{ rounds }}
)
select
{% for attribute in attributes %}
    combinations.{{ attribute.name | ident }},
    labels_{{ attribute.number }}.label as {{ labels[attribute.name] | ident }}{{ "," if not loop.last }}
{% endfor %}
from combinations
inner join refined
{% for word in range(1, words + 1) %}
    {{ "on" if loop.first else "and" }} refined.key_{{ word }} = combinations.{{ keys[word - 1] | ident }}
{% endfor %}
{{ passes.labels(attributes, "refined") -}}
