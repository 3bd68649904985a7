{#- inputs: attributes list[tuple[int, str, Decimal, int]] number name weight top, scales list[tuple[str, str]] -#}
-- class_covers: what the label of every class and attribute covers of the attribute's values
-- reads:   placed_classes, generalized_values{{ ", hierarchy_levels, source_values" if scales }}
-- returns: one row per class and attribute
--   level, height  of the label, of classes that are not published the highest; the highest [levels]
--   leaf_rows     rows that the label covers; of classes that are not published, all   [rows]
--   leaf_count    values that the label covers; of classes that are not published, all   [values]
--   weight        the attribute's, in the means over attributes
--   value_share   share of the attribute's values; 0 for a single value          [0 to 1]
--   range_share   for numbers and dates share of the scale, else value_share     [0 to 1]
{% if scales %}
-- nulls:   a missing value has the place of the least one
{% endif %}
with {% include "utility/_label_shares.sql" %},
labels as (
{% for number, name, weight, top in attributes %}
    {{ "union all " if not loop.first }}select class, published, {{ number }} as attribute_number, {{ name | text }} as attribute, cast({{ weight | number }} as double) as weight, {{ top }} as height, level_{{ number }} as level, label_{{ number }} as label
    from sqlanon.placed_classes
{% endfor %}
)
select
    labels.class,
    labels.attribute_number,
    labels.weight,
    labels.height,
    case when labels.published then labels.level else labels.height end as level,
    case when labels.published then codes.row_count else all_rows.row_count end as leaf_rows,
    cast(case when labels.published then codes.leaf_count else domains.leaf_count end as bigint)
        as leaf_count,
    case
        when not labels.published then case when domains.leaf_count > 1 then 1 else 0 end
        when codes.leaf_count = 1 then 0
        else cast(codes.leaf_count as double) / domains.leaf_count
    end as value_share,
    case when labels.published then label_shares.share else tops.whole end as range_share
from labels
inner join domains on domains.attribute = labels.attribute
inner join (
    select distinct attribute, whole
    from label_shares
) as tops on tops.attribute = labels.attribute
cross join (
    select cast(sum(class_size) as bigint) as row_count
    from sqlanon.placed_classes
) as all_rows
left join sqlanon.generalized_values as codes
    on codes.attribute = labels.attribute
    and codes.level = labels.level
    and codes.label is not distinct from labels.label
left join label_shares
    on label_shares.attribute = codes.attribute
    and label_shares.level = codes.level
    and label_shares.code = codes.code
