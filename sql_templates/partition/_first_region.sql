{% set columns %}
{% for attribute in attributes %}
place_{{ attribute.number }},
{% endfor %}
{% for number in carried %}
value_{{ number }},
{% endfor %}
{% if unit %}
person,
{% endif %}
{% if relaxed %}
deal,
{% endif %}
{% if population %}
population_count,
{% endif %}
row_count
{%- endset %}
select
    0 as round,
    1 as region,
    0 as parent,
    0 as attribute_number,
    0 as first_place,
    {{ no_end }} as last_place,
    {{ columns | indent(4) }}
from sqlanon.cells
