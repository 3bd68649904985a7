{#- inputs: name str, promise str, source str, classes str, class_key list[str], model_sql str, column str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{{ comments.line("-- proof_of_" ~ name ~ ":", "published classes that break the promise; no row means that " ~ (promise | comment)) }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, and the relations named below
-- returns: one row per failing class; a class that no check has judged fails
select classes.*, judged_classes.{{ column }} as measured
from {{ keys.named(classes, "classes") }}
left join (
{{ model_sql | indent(4, first=true) }}
) as judged_classes
{{ keys.join("judged_classes", "classes", class_key) -}}
where not coalesce(judged_classes.satisfied, false)
