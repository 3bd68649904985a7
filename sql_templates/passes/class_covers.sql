{#- inputs: attributes list[tuple[int, str, Decimal]] number name weight, scales list[tuple[str, str]] -#}
-- class_covers: what the label of every class and attribute covers of the attribute's values
-- reads:   placed_classes, generalized_values{{ ", hierarchy_levels, source_values" if scales }}
-- returns: one row per class and attribute
--   leaf_count    values that the label covers; of classes that are not published, all   [values]
--   weight        the attribute's, in the means over attributes
--   value_share   share of the attribute's values; 0 for a single value          [0 to 1]
--   range_share   for numbers and dates share of the scale, else value_share     [0 to 1]
{% if scales %}
-- nulls:   a missing value has the place of the least one
{% endif %}
with {% include "utility/_label_shares.sql" %},
labels as (
{% for number, name, weight in attributes %}
    {{ "union all " if not loop.first }}select class, published, {{ number }} as attribute_number, {{ name | text }} as attribute, cast({{ weight | number }} as double) as weight, level_{{ number }} as level, label_{{ number }} as label
    from sqlanon.placed_classes
{% endfor %}
)
select
    labels.class,
    labels.attribute_number,
    labels.weight,
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
left join sqlanon.generalized_values as codes
    on codes.attribute = labels.attribute
    and codes.level = labels.level
    and codes.label is not distinct from labels.label
left join label_shares
    on label_shares.attribute = codes.attribute
    and label_shares.level = codes.level
    and label_shares.code = codes.code
