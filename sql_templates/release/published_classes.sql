{#- inputs: attributes list[tuple[str, int]] name word, keys list[str], position str, masked bool, published str -#}
-- published_classes: the published labels of the rows of each class
-- reads:   decided_classes, chosen_node, generalized_values
-- returns: one row per class that is published{{ ", or masked with '*'" if masked }}
--   {{ position }}   position of the class in the publication, by its labels{{ "; 0 for masked rows" if masked }}
with node_masks as (
    select
{% for name, word in attributes %}
        max(mask) filter (where attribute = {{ name | text }}) as mask_of_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.chosen_node
),
chosen_labels as (
    -- one row per attribute and label of the chosen levels
    select generalized_values.attribute, generalized_values.code, generalized_values.label
    from sqlanon.generalized_values as generalized_values
    inner join sqlanon.chosen_node as chosen_node
        on chosen_node.attribute = generalized_values.attribute
        and chosen_node.level = generalized_values.level
),
class_labels as (
    select
{% for key in keys %}
        decided_classes.class_{{ loop.index }} as {{ key | ident }},
{% endfor %}
        decided_classes.published as {{ published | ident }},
{% for name, word in attributes %}
        labels_{{ loop.index }}.label as {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.decided_classes as decided_classes
    cross join node_masks
{% for name, word in attributes %}
    left join chosen_labels as labels_{{ loop.index }}
        on labels_{{ loop.index }}.attribute = {{ name | text }}
        and labels_{{ loop.index }}.code
            = decided_classes.class_{{ word }} & node_masks.mask_of_{{ loop.index }}
{% endfor %}
{% if not masked %}
    where decided_classes.published
{% endif %}
)
select
{% for key in keys %}
    {{ key | ident }},
{% endfor %}
{% if masked %}
    case when {{ published | ident }} then row_number() over (
        order by
            {{ published | ident }} desc,
{% for name, word in attributes %}
            {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
    ) else 0 end as {{ position | ident }},
{% for name, word in attributes %}
    case when {{ published | ident }} then {{ name | ident }} else '*' end as {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
{% else %}
    row_number() over (
        order by
{% for name, word in attributes %}
            {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
    ) as {{ position | ident }},
{% for name, word in attributes %}
    {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
{% endif %}
from class_labels
