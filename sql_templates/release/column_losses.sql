{#- inputs: attributes list[tuple[str, str, int]] name alias level, row_count int -#}
-- column_losses: share of its values that a label covers, for each quasi-identifier
-- source:  Ghinita 2007, by values: 0 for a label of a single value, else leaves / all leaves
-- reads:   published_combinations, generalized_values, level_measures
-- returns: one row per quasi-identifier
--   loss   0 (as in the source) to 1 (nothing is left), the mean over all rows; those that are
--          suppressed cost 1
-- nulls:   the label of a missing value is null below the top
with published_labels as (
{% for name, alias, level in attributes %}
    {{ "union all " if not loop.first }}select
        {{ loop.index }} as attribute_number,
        {{ name | text }} as attribute,
        {{ level }} as level,
        cast(combinations.{{ alias | ident }} as varchar) as label,
        sum(combinations.row_count) as row_count
    from sqlanon.published_combinations as combinations
    group by combinations.{{ alias | ident }}
{% endfor %}
),
kept_shares as (
    -- what is left of the values: nothing of those of suppressed rows, whose labels are not found
    select
        published_labels.attribute_number,
        published_labels.attribute,
        sum(
            published_labels.row_count * case
                when generalized_values.leaf_count = 1 then 1
                else 1 - cast(generalized_values.leaf_count as double) / level_measures.leaf_count
            end
            order by published_labels.label
        ) / {{ row_count }} as kept_share,
        min(level_measures.leaf_count) as leaf_count
    from published_labels
    inner join sqlanon.generalized_values
        on generalized_values.attribute = published_labels.attribute
        and generalized_values.level = published_labels.level
        and generalized_values.label is not distinct from published_labels.label
    inner join sqlanon.level_measures
        on level_measures.attribute = published_labels.attribute
        and level_measures.level = published_labels.level
    group by published_labels.attribute_number, published_labels.attribute
)
select
    attribute,
    case when leaf_count > 1 then 1 - kept_share else 0 end as loss
from kept_shares
order by attribute_number
