{#- inputs: relation str, size int, charge Decimal, unit bool, words int, losses list[LossFlag] name word bit, flag_words list[int], boxes list[list[number]] -#}
{% set ends = ("highest", "lowest", "middle") %}
{% set members = "count(distinct person)" if unit else "sum(row_count)" %}
-- waiting_boxes: what {{ boxes | length }} boxes of the lattice cost, if a row either gets its label or waits
-- reads:   {{ relation }}
-- returns: one row per box; costs are sums over rows: the loss of a row that is placed, because
--   {{ size }} {{ "persons" if unit else "rows" }} or more have its label, and {{ charge | number }} for a row that waits
--   placed_rows  rows that the highest node of the box places   [rows]
--   cost         of this node
--   least_cost   no node of the box costs less: it places no other row, and at no smaller loss than
--                the lowest node
--   least_above  the same for the part of the box that is left when it is divided
with coded_boxes (
    box{% for word in range(1, words + 1) %}, mask_{{ word }}{% endfor %}{% for end in ends %}, {{ end }}{% for flags in flag_words %}, {{ end }}_flags_{{ flags }}{% endfor %}{% endfor %}

) as (
    -- of each node what every row loses, and a bit for each loss that depends on the row
    values
{% for box in boxes %}
        ({{ box | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
),
boxes as (
    -- the bits as numbers, 1 for a loss that the node has
    select
        box,
{% for word in range(1, words + 1) %}
        mask_{{ word }},
{% endfor %}
{% for end in ends %}
        cast({{ end }} as double) as {{ end }}{{ "," if losses or not loop.last }}
{% set last_end = loop.last %}
{% for loss in losses %}
        case when {{ end }}_flags_{{ loss.word }} & {{ 2 ** loss.bit }} > 0 then 1e0 else 0e0 end as {{ end }}_{{ loss.name }}{{ "," if not (last_end and loop.last) }}
{% endfor %}
{% endfor %}
    from coded_boxes
),
classes as (
    select
        boxes.box,
        {{ members }} as members,
        sum(row_count) as row_count,
        sum(
            row_count * (
                highest
{% for loss in losses %}
                + highest_{{ loss.name }} * {{ loss.name }}
{% endfor %}
            )
        ) as highest,
{% for end in ("lowest", "middle") %}
        sum(
            row_count * least(
                cast({{ charge | number }} as double),
                {{ end }}
{% for loss in losses %}
                + {{ end }}_{{ loss.name }} * {{ loss.name }}
{% endfor %}
            )
        ) as {{ end }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ relation }} as waiting_set
    cross join boxes
    group by boxes.box{% for word in range(1, words + 1) %}, key_{{ word }} & mask_{{ word }}{% endfor %}

)
select
    box,
    cast(coalesce(sum(row_count) filter (where members >= {{ size }}), 0) as bigint) as placed_rows,
    sum(case when members >= {{ size }} then highest else row_count * cast({{ charge | number }} as double) end) as cost,
    sum(case when members >= {{ size }} then lowest else row_count * cast({{ charge | number }} as double) end) as least_cost,
    sum(case when members >= {{ size }} then middle else row_count * cast({{ charge | number }} as double) end) as least_above
from classes
group by box
order by box
