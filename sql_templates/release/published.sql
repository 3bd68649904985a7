{#- inputs: attributes list[tuple[str, int]] name word, keys list[str], position str, row_number str, kept list[str], columns list[tuple[str, bool]], order str, name_numbers dict -#}
-- published: the rows of the publication, in a staging file until they are proven
-- reads:   source_rows, value_codes, chosen_node, published_classes
-- returns: one row per published source row
{% if order == "sorted" %}
-- order:   by the published values alone; the order of the source could identify persons
{% else %}
-- order:   the order of the source, as the plan requires
{% endif %}
with node_masks as (
    select
{% for key in keys %}
        cast(sum(mask) filter (where word = {{ loop.index }}) as bigint) as mask_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.chosen_node
),
classed_rows as (
    -- every row with its class: the sum of its values' keys & the mask of the node;
    -- hierarchy_problems showed that every value has a code
    select
{% for name in kept %}
        source_rows.{{ name | ident }},
{% endfor %}
{% if order == "source" %}
        source_rows.{{ row_number | ident }},
{% endif %}
{% for key in keys %}
{% set word = loop.index %}
        (
{% for name, place in attributes if place == word %}
            {{ "+ " if not loop.first }}codes_{{ name_numbers[name] }}.key_{{ word }}
{% endfor %}
        ) & node_masks.mask_{{ word }} as {{ key | ident }}{{ "," if not loop.last }}
{% endfor %}
{% if order == "source" %}
    from (
        select *, row_number() over () as {{ row_number | ident }}
        from sqlanon.source_rows
    ) as source_rows
{% else %}
    from sqlanon.source_rows as source_rows
{% endif %}
{% for name, place in attributes %}
    left join sqlanon.value_codes as codes_{{ loop.index }}
        on codes_{{ loop.index }}.attribute = {{ name | text }}
        and codes_{{ loop.index }}.value is not distinct from cast(source_rows.{{ name | ident }} as varchar)
{% endfor %}
    cross join node_masks
)
select
{% for name, is_quasi_identifier in columns %}
    {{ "published_classes" if is_quasi_identifier else "classed_rows" }}.{{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
from classed_rows
inner join sqlanon.published_classes as published_classes
{% for key in keys %}
    {{ "on" if loop.first else "and" }} published_classes.{{ key | ident }} = classed_rows.{{ key | ident }}
{% endfor %}
order by
{% if order == "source" %}
    classed_rows.{{ row_number | ident }}
{% else %}
    published_classes.{{ position | ident }}{{ "," if kept }}
{% for name in kept %}
    classed_rows.{{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
{% endif %}
