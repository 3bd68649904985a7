{#- inputs: attributes list[CutAttribute], counted list[tuple[int, str]] -#}
-- cells: the source as places; every cut is decided on this table
-- reads:   turned_rows
-- returns: one row per turn
{% for attribute in attributes %}
--   place_{{ attribute.number }}     place of {{ attribute.name | comment }}
{% endfor %}
{% for number, name in counted %}
--   value_{{ number }}     code of {{ name | comment }}, as in table_values_{{ number }}
{% endfor %}
--   deal        turn in which rows at a cut are dealt to both sides; it does not depend on values
--   row_count   source rows   [rows]
select
{% for attribute in attributes %}
    place_{{ attribute.number }},
{% endfor %}
{% for number, name in counted %}
    value_{{ number }},
{% endfor %}
    deal,
    count(*) as row_count
from sqlanon.turned_rows
group by
    deal{% for attribute in attributes %},
    place_{{ attribute.number }}{% endfor %}{% for number, name in counted %},
    value_{{ number }}{% endfor %}

