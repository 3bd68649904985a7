{#- inputs: words int, unit bool, population bool, columns list[LossColumn] name attribute level word mask weight -#}
-- waiting_set_1: all rows{{ " of the population" if population }} as packed keys, and what they lose at each level; the passes place them
-- source:  Ghinita 2007, by values: 0 for a label of a single value, else leaves / all leaves
-- reads:   frequency_set{{ ", generalized_values, level_measures" if columns }}
-- returns: one row per distinct combination of quasi-identifiers{{ " and person" if unit }}
{% for column in columns %}
--   {{ column.name }}   loss of {{ column.attribute | comment }} at level {{ column.level }}, with its weight   [share of a row]
{% endfor %}
--   row_count   {{ "rows of the population" if population else "source rows" }}   [rows]
with {% include "passes/_combinations.sql" %}{{ "," if columns }}
{% if columns %}
label_losses as (
    select
        labels.attribute,
        labels.level,
        labels.code,
        case
            when labels.leaf_count = 1 then 0
            else labels.leaf_count / cast(levels.leaf_count as double)
        end as loss
    from sqlanon.generalized_values as labels
    inner join sqlanon.level_measures as levels
        on levels.attribute = labels.attribute
        and levels.level = labels.level
)
{% endif %}
select
    combinations.*{{ "," if columns }}
{% for column in columns %}
    {{ column.weight | number }} * {{ column.name }}.loss as {{ column.name }}{{ "," if not loop.last }}
{% endfor %}
from combinations
{% for column in columns %}
inner join label_losses as {{ column.name }}
    on {{ column.name }}.attribute = {{ column.attribute | text }}
    and {{ column.name }}.level = {{ column.level }}
    and {{ column.name }}.code = combinations.key_{{ column.word }} & {{ column.mask }}
{% endfor %}
