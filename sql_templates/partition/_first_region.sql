{% set columns %}{% for attribute in attributes %}place_{{ attribute.number }}, {% endfor %}{% for number in carried %}value_{{ number }}, {% endfor %}{{ "person, " if unit }}{{ "deal, " if relaxed }}{{ "population_count, " if population }}row_count{% endset %}
select
    0 as round,
    1 as region,
    0 as parent,
    0 as attribute_number,
    0 as first_place,
    {{ no_end }} as last_place,
    {{ columns }}
from sqlanon.cells
