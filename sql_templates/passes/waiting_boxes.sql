{#- inputs: relation str, size int, charge Decimal, unit bool, words int, losses dict[str, list[LossFlag]] name word bit, flag_words list[int], boxes list[list[list[number]]] -#}
-- waiting_boxes: what {{ boxes | length }} boxes of the lattice cost, if a row either gets its label or waits
-- reads:   {{ relation }}
-- returns: one row per box; costs are sums over rows: the loss of a row that is placed, because
--   {{ size }} {{ "persons" if unit else "rows" }} or more have its label, and {{ charge | number }} for a row that waits
--   placed_rows  rows that the highest node of the box places   [rows]
--   cost         of this node
--   least_cost   no node of the box costs less: it places no other row, and at no smaller loss than
--                the lowest node
--   least_above  the same for the part of the box that is left when it is divided
--   least_loss   no row that a node of the box places loses less; null if none is placed
with boxes (
    box{% for word in range(1, words + 1) %}, mask_{{ word }}{% endfor %}{% for end in losses %}, {{ end }}{% for flags in flag_words %}, {{ end }}_flags_{{ flags }}{% endfor %}{% endfor %}

) as (
    -- of each node what every row loses, and a bit for each loss that depends on the row
    values
{% for box in boxes %}
        ({% for part in box %}{{ part | join(", ") }}{{ ",\n            " if not loop.last }}{% endfor %}){{ "," if not loop.last }}
{% endfor %}
),
lost as (
    -- what each row loses at these nodes
    select
        box,
{% for word in range(1, words + 1) %}
        key_{{ word }} & mask_{{ word }} as key_{{ word }},
{% endfor %}
{% if unit %}
        person,
{% endif %}
        row_count,
{% for end, flags in losses.items() %}
        cast({{ end }} as double)
{% for loss in flags %}
        + case when {{ end }}_flags_{{ loss.word }} & {{ 2 ** loss.bit }} > 0 then {{ loss.name }} else 0 end
{% endfor %}
            as {{ end }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ relation }}
    cross join boxes
),
classes as (
    select
        box,
        {{ "count(distinct person)" if unit else "sum(row_count)" }} as members,
        sum(row_count) as row_count,
        sum(row_count * highest) as highest,
{% for end in ("lowest", "middle") %}
        sum(row_count * least(cast({{ charge | number }} as double), {{ end }})) as {{ end }},
{% endfor %}
        min(lowest) as least_loss
    from lost
    group by box{% for word in range(1, words + 1) %}, key_{{ word }}{% endfor %}

),
decided_classes as (
    select
        *,
        members >= {{ size }} as placed
    from classes
),
sums as (
    select
        box,
        cast(coalesce(sum(row_count) filter (where placed), 0) as bigint) as placed_rows,
        -- one product, as a sum over classes would differ in its last digits with their order
        cast({{ charge | number }} as double)
        * cast(coalesce(sum(row_count) filter (where not placed), 0) as double) as charged,
{% for end in losses %}
        coalesce(sum({{ end }}) filter (where placed), 0) as {{ end }},
{% endfor %}
        min(least_loss) filter (where placed) as least_loss
    from decided_classes
    group by box
)
select
    box,
    placed_rows,
    charged + highest as cost,
    charged + lowest as least_cost,
    charged + middle as least_above,
    least_loss
from sums
order by box
