{#- inputs: columns list[str], first_rows int -#}
-- first_rows: the beginning of the source, in the columns that warnings are about
-- reads:   source
-- returns: one row per source row, {{ first_rows }} at most
select
{% for column in columns %}
    {{ column | ident }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.source
limit {{ first_rows }}
