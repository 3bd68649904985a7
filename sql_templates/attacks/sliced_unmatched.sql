{#- inputs: title str, classes str, beliefs str, class_key list[str] -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: whether somebody with known quasi-identifiers fits each published row
-- reads:   {{ classes }}, {{ beliefs }}
-- returns: one row: the rows of classes that nobody fits
select coalesce(cast(sum(classes.class_size) as bigint), 0) as row_count
from {{ classes }} as classes
where not exists (
    select 1
    from {{ beliefs }} as beliefs
{% for column in class_key %}
    {{ "where" if loop.first else "    and" }} beliefs.{{ column | ident }} is not distinct from classes.{{ column | ident }}
{% endfor %}
)
