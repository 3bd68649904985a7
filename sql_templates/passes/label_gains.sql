{#- inputs: weights list[tuple[str, int]] -#}
-- label_gains: what a row gains if its label goes down a level
-- source:  Ghinita 2007, by values: 0 for a label of a single value, else leaves / all leaves
-- reads:   generalized_values, level_codes, level_measures
-- returns: one row per column, level above 0, and label of the level below
--   code    of the label below, as in generalized_values
--   gain    loss of the label at the level less that of the label below, with the attribute's
--           weight; whole numbers, so that sums are exact          [billionths of a row]
with weights (attribute, weight) as (
    values
{% for attribute, weight in weights %}
        ({{ attribute | text }}, {{ weight | number }}){{ "," if not loop.last }}
{% endfor %}
),
label_losses as (
    select
        labels.attribute,
        labels.level,
        labels.code,
        case
            when labels.leaf_count = 1 then 0
            else weights.weight * labels.leaf_count // levels.leaf_count
        end as loss
    from sqlanon.generalized_values as labels
    inner join sqlanon.level_measures as levels
        on levels.attribute = labels.attribute
        and levels.level = labels.level
    inner join weights on weights.attribute = labels.attribute
)
select
    level_codes.attribute_number,
    level_codes.level,
    lower_labels.code,
    upper_labels.loss - lower_labels.loss as gain
from label_losses as lower_labels
inner join sqlanon.level_codes
    on level_codes.attribute = lower_labels.attribute
    and level_codes.level = lower_labels.level + 1
inner join label_losses as upper_labels
    on upper_labels.attribute = lower_labels.attribute
    and upper_labels.level = level_codes.level
    and upper_labels.code = lower_labels.code & level_codes.mask
