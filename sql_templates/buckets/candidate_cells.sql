{#- inputs: attributes list[CutAttribute], nodes list[tuple] -#}
-- candidate_cells: the persons who could be in a bucket, by the labels that a node publishes
-- reads:   class_cells, label_places
-- returns: one row per bucket and distinct combination of labels
{% for attribute in attributes %}
--   {{ attribute.named("first_place") }}   label of {{ attribute.name | comment }}, given as the first place that it covers
{% endfor %}
--   person_count   persons of the population   [persons]
--   row_count      rows of the table among them   [rows]
with nodes (bucket{% for attribute in attributes %}, {{ attribute.named("level") | ident }}{% endfor %}) as (
    values
{% for node in nodes %}
        ({{ node | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
)
select
    nodes.bucket,
{% for attribute in attributes %}
    {{ attribute.named("labels") | ident }}.first_place as {{ attribute.named("first_place") | ident }},
{% endfor %}
    cast(sum(class_cells.population_count) as bigint) as person_count,
    cast(sum(class_cells.row_count) as bigint) as row_count
from nodes
inner join sqlanon.class_cells on class_cells.class = nodes.bucket
{% for attribute in attributes %}
inner join sqlanon.label_places as {{ attribute.named("labels") | ident }}
    on {{ attribute.named("labels") | ident }}.attribute_number = {{ attribute.number }}
    and {{ attribute.named("labels") | ident }}.place = class_cells.{{ attribute.place | ident }}
    and {{ attribute.named("labels") | ident }}.level = nodes.{{ attribute.named("level") | ident }}
{% endfor %}
group by
    nodes.bucket{% for attribute in attributes %},
    {{ attribute.named("labels") | ident }}.first_place{% endfor %}

order by
    nodes.bucket{% for attribute in attributes %},
    {{ attribute.named("labels") | ident }}.first_place{% endfor %}

