{#- inputs: published list[PublishedColumn] -#}
-- labels are sorted and written by their numbers
{% for column in published if column.type_name %}
create or replace type sqlanon.{{ column.type_name }} as enum (
    select distinct {{ column.alias | ident }}
    from sqlanon.published_classes
    where {{ column.alias | ident }} is not null
    order by {{ column.alias | ident }}
);
{% endfor %}
