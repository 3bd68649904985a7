{#- inputs: title str, classes str, located str, class_key list[str] -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: persons by the classes that they fit
-- reads:   {{ classes }}, {{ located }}
-- returns: one row per combination of classes that some person fits
--   classes        numbers of the classes, separated by commas
--   person_count   persons who fit just these
select person_classes.classes, cast(sum(person_classes.person_count) as bigint) as person_count
from (
    select
        located.person,
        max(located.person_count) as person_count,
        string_agg(classes.class_number, ',' order by classes.class_number) as classes
    from sqlanon.{{ located }} as located
    inner join {{ classes }} as classes
{{ keys.join("classes", "located", class_key, true) }}    group by located.person
) as person_classes
group by person_classes.classes
order by person_classes.classes
