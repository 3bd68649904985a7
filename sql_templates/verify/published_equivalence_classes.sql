{#- inputs: quasi_identifiers list[str] -#}
-- published_equivalence_classes: rows of the publication that nothing tells apart
-- reads:   published_rows, and none of the numbers of the search
-- returns: one row per combination of published quasi-identifiers
--   class_size   published rows   [rows]
-- nulls:   null is one more value
select
{% for name, alias in quasi_identifiers %}
    {{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }},
{% endfor %}
    count(*) as class_size
from sqlanon.published_rows
group by
{% for name, alias in quasi_identifiers %}
    {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
