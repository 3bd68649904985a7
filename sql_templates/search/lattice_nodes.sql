{#- inputs: attributes list[tuple[int, str]], words int, size int, place dict -#}
-- lattice_nodes: every combination of one level per quasi-identifier, {{ size }} in all
-- reads:   level_codes
-- returns: one row per lattice node
--   node      number of the node, in the order of its levels
{% for number, name in attributes %}
--   level_{{ number }}   level of {{ name | comment }}
{% endfor %}
--   mask_..   the bits of a packed key that the node keeps
select
    row_number() over (
        order by
{% for number, name in attributes %}
            codes_{{ number }}.level{{ "," if not loop.last }}
{% endfor %}
    ) - 1 as node,
{% for number, name in attributes %}
    codes_{{ number }}.level as level_{{ number }},
{% endfor %}
{% for word in range(1, words + 1) %}
{% set last_word = loop.last %}
{% for number, name in attributes if place[name] == word %}
    {{ "    + " if not loop.first }}codes_{{ number }}.mask{{ (" as mask_" ~ word ~ ("," if not last_word else "")) if loop.last }}
{% endfor %}
{% endfor %}
from
{% for number, name in attributes %}
    {{ "cross join " if not loop.first }}(
        select level, mask from sqlanon.level_codes where attribute = {{ name | text }}
    ) as codes_{{ number }}
{% endfor %}
