{#- inputs: attributes list[CutAttribute], key str, position str, bounds list[tuple[int, str, str, str]] number lowest highest type -#}
-- published_classes: the published labels of the rows of each class
-- reads:   class_labels{{ ", value_places" if bounds }}
-- returns: one row per class
--   {{ position }}   position of the class in the publication, by its labels
{% for number, lowest, highest, kind in bounds %}
--   {{ lowest | comment }}, {{ highest | comment }}   ends of the label without missing values
{% endfor %}
with labels as (
    select
        class as {{ key | ident }}{{ "," if attributes }}
{% for attribute in attributes %}
        max(label) filter (where attribute_number = {{ attribute.number }}) as {{ attribute.name | ident }}{{ "," if not loop.last or bounds }}
{% endfor %}
{% for number, lowest, highest, kind in bounds %}
        max(lowest_place) filter (where attribute_number = {{ number }}) as {{ lowest | ident }},
        max(highest_place) filter (where attribute_number = {{ number }}) as {{ highest | ident }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.class_labels
    group by class
)
select
    labels.{{ key | ident }},
    dense_rank() over (
        order by
{% for attribute in attributes %}
            labels.{{ attribute.name | ident }}{{ "," if not loop.last }}
{% endfor %}
    ) as {{ position | ident }},
{% for attribute in attributes %}
    labels.{{ attribute.name | ident }}{{ "," if not loop.last or bounds }}
{% endfor %}
{% for number, lowest, highest, kind in bounds %}
    cast(lowest_{{ number }}.value as {{ kind }}) as {{ lowest | ident }},
    cast(highest_{{ number }}.value as {{ kind }}) as {{ highest | ident }}{{ "," if not loop.last }}
{% endfor %}
from labels
{% for number, lowest, highest, kind in bounds %}
left join sqlanon.value_places as lowest_{{ number }}
    on lowest_{{ number }}.attribute_number = {{ number }}
    and lowest_{{ number }}.place = labels.{{ lowest | ident }}
left join sqlanon.value_places as highest_{{ number }}
    on highest_{{ number }}.attribute_number = {{ number }}
    and highest_{{ number }}.place = labels.{{ highest | ident }}
{% endfor %}
