{#- inputs: place str, key str, title str, lines list[tuple[str, str]], tables list[Table], hierarchies list[tuple[str, str]], generalized list[LabeledRows], keys list[str], count Counting, model_checks list[ModelCheck], decided bool, masked bool, linked_labels list[str], published list[tuple[str, str, bool]], source_order str, kept list[str] and those of search/_decided_classes.sql, class_key list[str], pruning bool, alone list, rechecks list, star_checks list, values_counted list, unit bool, population bool -#}
{% import "_release_header.sql" as header %}
{% import "_keys.sql" as k %}
{% import "_histories.sql" as linked %}
{% if place %}
{{ header.person_rows(place, key, "") -}}
{% else %}
{{ header.lines(title, lines) -}}
{% endif %}
with {% include "release/_labeled_rows.sql" %}
{% if count.population %}
population_classes as (
    select {{ k.list("", keys) }}, count(*) as population_size
    from generalized_population
    group by {{ k.list("", keys) }}
),
{% endif %}
{% if linked_labels %}
{{ linked.histories(linked_labels, count.unit | ident) }},
generalized as (
    select labeled_rows.*, histories.history
    from labeled_rows
    inner join histories
{{ k.join("histories", "labeled_rows", [count.unit], true) -}}
),
{% endif %}
{% include "release/_classes.sql" %}
{% if decided %}
{% include "search/_decided_classes.sql" %},
published_classes as (
    select
        {{ k.list("classes", keys) }},
        decided_classes.published,
        {{ "case when decided_classes.published then " if masked }}row_number() over (order by {{ "decided_classes.published desc, " if masked }}{{ k.list("classes", keys) }}){{ " else 0 end" if masked }} as place
    from classes
    inner join decided_classes on decided_classes.class_number = classes.class_number
{% if not masked %}
    where decided_classes.published
{% endif %}
)
{% else %}
{% for model_check in model_checks %}
{{ model_check.name }} as (
{{ model_check.select | indent(4, first=true) }}
),
{% endfor %}
published_classes as (
    select {{ k.list("", keys) }}, row_number() over (order by {{ k.list("", keys) }}) as place
{% if model_checks | length == 1 %}
    from {{ model_checks[0].name }}
    where satisfied
{% else %}
    from (
{% for model_check in model_checks %}
{% if not loop.first %}
        intersect
{% endif %}
        select {{ k.list("", keys) }} from {{ model_check.name }} where satisfied
{% endfor %}
    ) as satisfied_classes
{% endif %}
)
{% endif %}
{% if published %}
{% if masked %}
select
{% for name, alias, is_label in published %}
{% if is_label %}
    case when published_classes.published then generalized.{{ alias | ident }} else '*' end
        as {{ name | ident }}{{ "," if not loop.last }}
{% else %}
    generalized.{{ alias | ident }}{{ " as " ~ (name | ident) if name != alias }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
{% else %}
select {{ "published_classes.place, " if place == "place" else "published_classes.place as " ~ (place | ident) ~ ", " if place }}{% for name, alias, is_label in published %}generalized.{{ alias | ident }}{{ " as " ~ (name | ident) if name != alias }}{{ ", " if not loop.last }}{% endfor %}

{% endif %}
{% else %}
select generalized.*
{% endif %}
from generalized
inner join published_classes
{{ k.join("published_classes", "generalized", keys) -}}
{% if not place %}
order by {% if source_order %}generalized.{{ source_order | ident }}{% elif linked_labels %}{{ k.list("generalized", linked_labels + kept) }}{% else %}{{ k.list("generalized", kept, first=["published_classes.place"]) }}{% endif %}
{% endif %}
