{#- a select: distinct combinations of quasi-identifiers and of values that promises look at, in the rows `rows` -#}
select
{% for name, alias in quasi_identifiers %}
    {{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }},
{% endfor %}
{% for number, name in attributes %}
    cast({{ name | ident }} as varchar) as text_{{ number }},
{% endfor %}
{% if unit %}
    {{ unit | ident }} as person,
{% endif %}
    count(*) as row_count
from {{ rows }}
group by
{% for name, alias in quasi_identifiers %}
    {{ name | ident }}{{ "," if not loop.last or attributes or unit }}
{% endfor %}
{% for number, name in attributes %}
    {{ name | ident }}{{ "," if not loop.last or unit }}
{% endfor %}
{% if unit %}
    {{ unit | ident }}
{% endif %}
