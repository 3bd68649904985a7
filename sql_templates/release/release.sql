{#- inputs: placed bool, place str, key str, title str, lines list[tuple[str, str]], tables list[Table], hierarchies list[tuple[str, str]], generalized list[LabeledRows], placing Placing | None, keys list[str], count Counting, model_checks list[ModelCheck], decided bool, masked bool, linked_labels list[str], published list[tuple[str, str, bool]], source_order str, kept list[str] and those of search/_decided_classes.sql, class_key list[str], pruning bool, alone list, rechecks list, star_checks list, values_counted list, unit bool, population bool -#}
{% import "_release_header.sql" as header %}
{% import "_keys.sql" as k %}
{% import "_histories.sql" as linked %}
{% if placed %}
{{ header.placed_rows() -}}
{% elif place %}
{{ header.person_rows(place, key, "") -}}
{% else %}
{{ header.lines(title, lines) -}}
{% endif %}
with {% include "release/_labeled_rows.sql" %}
{% if count.population %}
population_classes as (
{% if placing %}
    -- the persons of the population who have the labels, in whichever pass
    select
{% for label, alias in placing.labels if alias in keys %}
        {{ label | ident }} as {{ alias | ident }},
{% endfor %}
        cast(sum({{ placing.row_count | ident }}) as bigint) as population_size
    from placed_combinations
    group by {% for label, alias in placing.labels if alias in keys %}{{ label | ident }}{{ ", " if not loop.last }}{% endfor %}

{% else %}
    select {{ k.list("", keys) }}, count(*) as population_size
    from generalized_population
    group by {{ k.list("", keys) }}
{% endif %}
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
{% include "release/_published_classes.sql" %}
{% if published %}
{% if masked %}
select
{% if place %}
    published_classes.place,
{% endif %}
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
