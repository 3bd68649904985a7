{#- inputs: column PublishedColumn -#}
-- {{ column.type_name | comment }}: the published labels of {{ column.name | comment }}, which are sorted and written by their numbers
-- reads:   published_classes
-- returns: one row per label, in their order
select distinct {{ column.alias | ident }}
from sqlanon.published_classes
where {{ column.alias | ident }} is not null
order by {{ column.alias | ident }}
