{#- inputs: column PublishedColumn, masked bool -#}
{% set name = column.alias | ident %}
{% set label = "case when place > 0 then " ~ name ~ " else '*' end" if masked else name %}
-- {{ column.type_name | comment }}: the published labels of {{ column.name | comment }}, which are sorted and written by their numbers
-- reads:   published_classes
-- returns: one row per label, in their order
select distinct {{ label ~ " as " ~ name if masked else name }}
from sqlanon.published_classes
where {{ label }} is not null
order by {{ label }}
