{#- inputs: name str, classes str, class_key list[str], model_sql str, column str, most int, with_values bool -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{{ comments.line("-- " ~ name ~ ":", "at most " ~ most ~ " classes that break the promise, the largest first") }}
-- reads:   {{ classes }}, and the relations named below
-- returns: one row per failing class: its size and measure{{ ", and its quasi-identifiers" if with_values else "; no value of a row" }}
select
    classes.class_size,
    judged_classes.{{ column }}{{ "," if with_values }}
{% if with_values %}
    {{ keys.list("classes", class_key) }}
{% endif %}
from {{ keys.named(classes, "classes") }}
left join (
{{ model_sql | indent(4, first=true) }}
) as judged_classes
{{ keys.join("judged_classes", "classes", class_key) -}}
where not coalesce(judged_classes.satisfied, false)
order by {{ keys.list("classes", class_key, ["classes.class_size desc"]) }}
limit {{ most }}
