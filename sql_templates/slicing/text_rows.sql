{#- inputs: name str, rows str, columns list[str] -#}
-- {{ name }}: the rows of buckets as text, however they are stored
-- reads:   {{ rows }}
-- returns: one row per row
select
{% for column in columns %}
    cast({{ column | ident }} as varchar) as {{ column | ident }},
{% endfor %}
    bucket
from {{ rows }}
