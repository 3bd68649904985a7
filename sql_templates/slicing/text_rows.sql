{#- inputs: name str, rows str, columns list[str], combination str -#}
-- {{ name }}: the rows of the buckets as text, regardless of their types
-- reads:   {{ rows }}{{ ", row_combinations" if combination }}
-- returns: one row per row
select
{% for column in columns %}
    cast({{ "combinations." if combination }}{{ column | ident }} as varchar) as {{ column | ident }},
{% endfor %}
    bucketed.bucket
from {{ rows }} as bucketed
{% if combination %}
inner join sqlanon.row_combinations as combinations
    on combinations.{{ combination | ident }} = bucketed.combination
{% endif %}
