{#- inputs: attributes list[tuple[int, str, str, int, Decimal]] number name alias level weight, placed bool -#}
-- reconstructed_values: the values of every column, and the rows that a reader of the labels
--   reconstructs: those of each label spread evenly over the values that it covers
-- reads:   {{ "placed_classes" if placed else "published_combinations" }}, generalized_values, hierarchy_levels, source_values
-- returns: one row per attribute and value
--   weight           the attribute's, in the means over attributes
--   row_count        source rows with this value                          [rows]
--   published_rows   published rows that are read as it, not a whole number   [rows]
-- nulls:   the label of a missing value is null below the top
with published_labels as (
    -- one row per attribute, level and label: its published rows
{% for number, name, alias, level, weight in attributes %}
    {{ "union all\n    " if not loop.first }}select
        {{ number }} as attribute_number,
        {{ name | text }} as attribute,
        cast({{ weight | number }} as double) as weight,
{% if placed %}
        level_{{ number }} as level,
        label_{{ number }} as label,
        sum(class_size) as row_count
    from sqlanon.placed_classes
    where published
    group by level_{{ number }}, label_{{ number }}
{% else %}
        {{ level }} as level,
        cast({{ alias | ident }} as varchar) as label,
        sum(row_count) as row_count
    from sqlanon.published_combinations
    group by {{ alias | ident }}
{% endif %}
{% endfor %}
),
spread_rows as (
    -- one row per attribute and value that a label covers: the rows that are read as it
    select
        published_labels.attribute_number,
        published_labels.attribute,
        published_labels.weight,
        hierarchy_levels.value,
        sum(
            published_labels.row_count / cast(generalized_values.leaf_count as double)
            order by published_labels.level
        ) as published_rows
    from published_labels
    inner join sqlanon.generalized_values
        on generalized_values.attribute = published_labels.attribute
        and generalized_values.level = published_labels.level
        and generalized_values.label is not distinct from published_labels.label
    inner join sqlanon.hierarchy_levels
        on hierarchy_levels.attribute = published_labels.attribute
        and hierarchy_levels.level = published_labels.level
        and hierarchy_levels.label is not distinct from published_labels.label
    group by
        published_labels.attribute_number, published_labels.attribute, published_labels.weight,
        hierarchy_levels.value
)
select
    attributes.attribute_number,
    attributes.attribute,
    attributes.weight,
    leaves.value,
    coalesce(source_values.row_count, 0) as row_count,
    coalesce(spread_rows.published_rows, 0) as published_rows
from sqlanon.hierarchy_levels as leaves
inner join (
    select distinct attribute_number, attribute, weight
    from published_labels
) as attributes on attributes.attribute = leaves.attribute
left join sqlanon.source_values
    on source_values.attribute = leaves.attribute
    and source_values.value is not distinct from leaves.value
left join spread_rows
    on spread_rows.attribute = leaves.attribute
    and spread_rows.value is not distinct from leaves.value
where leaves.level = 0
