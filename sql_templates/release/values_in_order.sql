{#- inputs: type str, column str, alias str, relation str, masked bool -#}
{% set name = alias | ident %}
-- {{ type | comment }}: the published values of {{ column | comment }}, which are written by their numbers
-- reads:   {{ relation }}
-- returns: one row per value, in their order
select distinct {{ name }}
from sqlanon.{{ relation | ident }}
where {{ name }} is not null{{ " and place > 0" if masked }}
{% if masked %}
union
select '*'
{% endif %}
order by {{ name }}
