{#- inputs: name str, rows str, columns list[str], combination str -#}
{% set source = "row_combinations" if combination else "bucketed" %}
-- {{ name }}: the rows of the buckets as text, regardless of their types
-- reads:   {{ rows }}{{ ", row_combinations" if combination }}
-- returns: one row per row
select {% for column in columns %}cast({{ source }}.{{ column | ident }} as varchar) as {{ column | ident }}, {% endfor %}bucketed.bucket
from {{ rows }} as bucketed
{% if combination %}
inner join sqlanon.row_combinations
    on row_combinations.{{ combination | ident }} = bucketed.combination
{% endif %}
