{#- inputs: attributes list[CutAttribute], counted list[CountedColumn] -#}
{% import "partition/_places.sql" as places %}
-- cells: the source as places; every cut is decided on this table
-- reads:   turned_rows
-- returns: one row per turn
{{ places.titles(attributes) }}{% for column in counted %}
--   {{ column.named("value") }}   code of {{ column.name | comment }}, as in {{ column.named("table_values") }}
{% endfor %}
--   deal   turn in which rows at a cut are dealt to both sides; it does not depend on values
--   row_count   source rows   [rows]
select
{% for attribute in attributes %}
    {{ attribute.place | ident }},
{% endfor %}
{% for column in counted %}
    {{ column.named("value") }},
{% endfor %}
    deal,
    count(*) as row_count
from sqlanon.turned_rows
group by
    deal{% for attribute in attributes %},
    {{ attribute.place | ident }}{% endfor %}{% for column in counted %},
    {{ column.named("value") }}{% endfor %}

