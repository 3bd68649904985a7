{#- inputs: row_count int, heights list[tuple[str, int]], suppressed_rows str -#}
-- precision: the height of the published levels (Sweeney 2002; Prec is 1 minus this cost)
-- reads:   decided_classes, node_levels
-- returns: one row per node
--   cost   mean over cells of level / height of the hierarchy   [0 to 1]
{%- if suppressed_rows == "charged" %}; suppressed: 1{% endif %}

select
    node_shares.node,
{% if suppressed_rows == "charged" %}
    (node_shares.share * suppressions.published_rows + suppressions.suppressed_rows)
        / {{ row_count | number }} as cost,
{% else %}
    node_shares.share as cost,
{% endif %}
    node_shares.share as lower_bound
from (
    select
        node_levels.node,
        coalesce(
            sum(cast(node_levels.level as double) / nullif(hierarchy_heights.height, 0)),
            0
        )
            / count(*) as share
    from node_levels
    inner join (
        values
{% for attribute, height in heights %}
            ({{ attribute | text }}, {{ height }}){{ "," if not loop.last }}
{% endfor %}
    ) as hierarchy_heights (attribute, height)
        on hierarchy_heights.attribute = node_levels.attribute
    group by node_levels.node
) as node_shares
inner join (
    select
        node,
        coalesce(sum(class_size) filter (where published), 0) as published_rows,
        coalesce(sum(class_size) filter (where not published), 0) as suppressed_rows
    from decided_classes
    group by node
) as suppressions on suppressions.node = node_shares.node
