{#- inputs: title str, classes str, class_key list[str], located str -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: the persons of each class, grouped by their own quasi-identifiers, if known
-- reads:   {{ classes }}, {{ located }}
-- returns: one row per class and group size; a group shares all quasi-identifiers. Only classes
--   with as many rows as persons of the population: all these persons are in the class
--   class_size    rows of the class
--   group_size    persons in a group
--   group_count   groups of this size
-- nulls:   a null quasi-identifier is a value of its own
with known_classes as (
    select
{{ keys.select("classes", class_key, true) }}        classes.class_size
    from {{ keys.named(classes, "classes") }}
    inner join sqlanon.{{ located }} as located
{{ keys.join("located", "classes", class_key, true) }}    group by {{ keys.list("classes", class_key, last=["classes.class_size"]) }}
    having sum(located.person_count) = classes.class_size
)
select
{{ keys.select("known_classes", class_key) }}    known_classes.class_size,
    located.person_count as group_size,
    count(*) as group_count
from known_classes
inner join sqlanon.{{ located }} as located
{{ keys.join("located", "known_classes", class_key) }}group by {{ keys.list("known_classes", class_key, last=["known_classes.class_size", "located.person_count"]) }}
