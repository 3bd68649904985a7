{#- inputs: column PublishedColumn, masked bool -#}
{% set name = column.alias | ident %}
-- {{ column.type_name | comment }}: the published labels of {{ column.name | comment }}, which are written by their numbers
-- reads:   published_classes
-- returns: one row per label, in their order
select distinct {{ name }}
from sqlanon.published_classes
where {{ name }} is not null{{ " and place > 0" if masked }}
{% if masked %}
union
select '*'
{% endif %}
order by {{ name }}
