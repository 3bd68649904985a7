{#- inputs: name str, classes str, class_key list[str], model_sql str, column str, aggregate str -#}
{% import "_keys.sql" as keys %}
-- {{ name }}: how well the classes hold the promise, and how many do not
-- reads:   the relations named below
-- returns: one row
select
    {{ aggregate }}(judged_classes.{{ column }}) as measured,
    count(*) as class_count,
    count(*) filter (where not judged_classes.satisfied) as failing_classes,
    coalesce(sum(classes.class_size) filter (where not judged_classes.satisfied), 0) as failing_rows
from (
{{ model_sql | indent(4, first=true) }}
) as judged_classes
inner join {{ classes }} as classes
{{ keys.join("classes", "judged_classes", class_key) }}
