{#- inputs: attributes list[CutAttribute], nodes list[tuple] -#}
-- candidate_cells: the persons who could be in a bucket, by the labels that a node publishes
-- reads:   class_cells, label_places
-- returns: one row per bucket and distinct combination of labels
--   first_place_N   label of quasi-identifier N, given as the first place that it covers
--   person_count    persons of the population   [persons]
--   row_count       rows of the table among them   [rows]
with nodes as (
    select *
    from (values
{% for node in nodes %}
        ({{ node | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
    ) as listed (bucket{% for attribute in attributes %}, level_{{ attribute.number }}{% endfor %})
)
select
    nodes.bucket,
{% for attribute in attributes %}
    labels_{{ attribute.number }}.first_place as first_place_{{ attribute.number }},
{% endfor %}
    cast(sum(class_cells.population_count) as bigint) as person_count,
    cast(sum(class_cells.row_count) as bigint) as row_count
from nodes
inner join sqlanon.class_cells as class_cells on class_cells.class = nodes.bucket
{% for attribute in attributes %}
inner join sqlanon.label_places as labels_{{ attribute.number }}
    on labels_{{ attribute.number }}.attribute_number = {{ attribute.number }}
    and labels_{{ attribute.number }}.place = class_cells.place_{{ attribute.number }}
    and labels_{{ attribute.number }}.level = nodes.level_{{ attribute.number }}
{% endfor %}
group by nodes.bucket{% for attribute in attributes %}, labels_{{ attribute.number }}.first_place{% endfor %}

order by nodes.bucket{% for attribute in attributes %}, labels_{{ attribute.number }}.first_place{% endfor %}

