{#- inputs: attributes list[CutAttribute], counted list[tuple[int, str, str]] number name code -#}
{% import "partition/_places.sql" as places %}
-- cells: the source as places; every cut is decided on this table
-- reads:   turned_rows
-- returns: one row per turn
{{ places.titles(attributes) }}{% for number, name, code in counted %}
--   {{ code }}   code of {{ name | comment }}, as in table_values_{{ number }}
{% endfor %}
--   deal   turn in which rows at a cut are dealt to both sides; it does not depend on values
--   row_count   source rows   [rows]
select
{% for attribute in attributes %}
    {{ attribute.place | ident }},
{% endfor %}
{% for number, name, code in counted %}
    {{ code | ident }},
{% endfor %}
    deal,
    count(*) as row_count
from sqlanon.turned_rows
group by
    deal{% for attribute in attributes %},
    {{ attribute.place | ident }}{% endfor %}{% for number, name, code in counted %},
    {{ code | ident }}{% endfor %}

