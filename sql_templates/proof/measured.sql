{#- inputs: name str, classes str, class_key list[str], model_sql str, column str, aggregate str, sides dict[str, tuple[str, str]] -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{{ comments.line("-- " ~ name ~ ":", "the measure of the promise over all classes, and the classes that break it") }}
-- reads:   {{ classes }}, and the relations named below
-- returns: one row; a class that no check has judged fails{{ "; the measure of each bound, too" if sides }}
select
    {{ aggregate }}(judged_classes.{{ column }}) as measured,
    count(*) as class_count,
    count(*) filter (where not coalesce(judged_classes.satisfied, false)) as failing_classes,
    coalesce(
        sum(classes.class_size) filter (where not coalesce(judged_classes.satisfied, false)),
        0
    ) as failing_rows{{ "," if sides }}
{% for parameter, (column, aggregate) in sides.items() %}
    {{ aggregate }}(judged_classes.{{ column | ident }}) as measured_{{ parameter }}{{ "," if not loop.last }}
{% endfor %}
from {{ keys.named(classes, "classes") }}
left join (
{{ model_sql | indent(4, first=true) }}
) as judged_classes
{{ keys.join("judged_classes", "classes", class_key) }}
