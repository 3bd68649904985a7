{#- inputs: title str, rows str, numbers list[int], order list[int], cells int, width int -#}
-- {{ title }}: what is known, in cells that are divided into {{ width }} by one column after the other
-- reads:   {{ rows }}
-- returns: one row per distinct combination of places
--   position      number of the combination; the combinations of a cell have consecutive numbers
--   cell_N        number of its cell after N divisions
with points as (
    select distinct
{% for number in numbers %}
        at_{{ number }}{{ "," if not loop.last }}
{% else %}
        0 as at_0
{% endfor %}
    from sqlanon.{{ rows }}
),
cells_0 as (
    select *, cast(0 as bigint) as cell_0
    from points
){% for cell in range(1, cells + 1) %},
cells_{{ cell }} as (
    select
        *,
        cell_{{ cell - 1 }} * {{ width }} + ntile({{ width }}) over (
            partition by cell_{{ cell - 1 }}
            order by
{% set turn = (cell - 1) % (order | length) if order else 0 %}
{% for number in order[turn:] + order[:turn] %}
                at_{{ number }}{{ "," if not loop.last }}
{% else %}
                at_0
{% endfor %}
        ) - 1 as cell_{{ cell }}
    from cells_{{ cell - 1 }}
){% endfor %}

select *, cast(row_number() over (order by cell_{{ cells }}) as integer) as position
from cells_{{ cells }}
