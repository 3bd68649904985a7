{#- inputs: attributes list[tuple[str, int]] name word, keys list[str], position str, masked bool -#}
-- published_classes: what the rows of each class look like in the publication
-- reads:   decided_classes, chosen_node, generalized_values
-- returns: one row per class that is published{{ ", or masked with '*'" if masked }}
--   {{ position }}   place of the class in the publication, by its labels{{ "; 0 for masked rows" if masked }}
with class_labels as (
    select
{% for key in keys %}
        decided_classes.class_{{ loop.index }} as {{ key | ident }},
{% endfor %}
        decided_classes.published as {{ published | ident }},
{% for name, word in attributes %}
        values_{{ loop.index }}.label as {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.decided_classes as decided_classes
{% for name, word in attributes %}
    -- {{ name | comment }}
    inner join sqlanon.chosen_node as node_{{ loop.index }}
        on node_{{ loop.index }}.attribute = {{ name | text }}
    inner join sqlanon.generalized_values as values_{{ loop.index }}
        on values_{{ loop.index }}.attribute = {{ name | text }}
        and values_{{ loop.index }}.level = node_{{ loop.index }}.level
        and values_{{ loop.index }}.code = (decided_classes.class_{{ word }} & node_{{ loop.index }}.mask)
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
        order by {{ published | ident }} desc, {% for name, word in attributes %}{{ name | ident }}{{ ", " if not loop.last }}{% endfor %}

    ) else 0 end as {{ position | ident }},
{% for name, word in attributes %}
    case when {{ published | ident }} then {{ name | ident }} else '*' end as {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
{% else %}
    row_number() over (
        order by {% for name, word in attributes %}{{ name | ident }}{{ ", " if not loop.last }}{% endfor %}

    ) as {{ position | ident }},
{% for name, word in attributes %}
    {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
{% endif %}
from class_labels
