{#- inputs: levels list[tuple[str, int, int]] attribute level top -#}
-- chosen_node: the lattice node to publish, one level per quasi-identifier (height {{ levels | sum(attribute=1) }})
{% for attribute, level, top, title in levels %}
--   {{ attribute | comment }}: level {{ level }} of {{ top }}, {{ title | comment }}
{% endfor %}
-- reads:   level_codes
-- returns: one row per quasi-identifier
select attribute_number, attribute, level, word, mask
from sqlanon.level_codes
where
{% for attribute, level, top, title in levels %}
    {{ "or " if not loop.first }}(attribute = {{ attribute | text }} and level = {{ level }})
{% endfor %}
order by attribute_number
