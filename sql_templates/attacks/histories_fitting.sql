{#- inputs: title str, tree str, boxes str, box str, numbers list[int], cells int, part int, parts int, counted str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
which known combinations published labels cover; whole cells are not divided
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ tree }}, {{ boxes }}
{% endcall %}
-- returns: one row per {{ box ~ " and " if not counted }}cell of combinations that {{ "is covered" if counted else "it covers" }}
--   first_position, last_position   of the combinations
{% if counted == "pseudonyms" %}
--   pseudonyms    pseudonyms with row_total rows that cover the cell
{% elif counted == "persons" %}
--   persons       the most persons of a class that covers the cell
{% endif %}
with recursive cells as (
{% for cell in range(cells + 1) %}
    {{ "union all " if not loop.first }}select
        {{ cell }} as depth,
        cell_{{ cell }} as cell,
        {{ "cast(-1 as bigint)" if loop.first else "cell_" ~ (cell - 1) }} as parent,
        min(position) as first_position,
        max(position) as last_position{{ "," if numbers }}
{% for number in numbers %}
        min(at_{{ number }}) as least_{{ number }},
        max(at_{{ number }}) as most_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ tree }}
    group by cell_{{ cell }}{{ ", cell_" ~ (cell - 1) if not loop.first }}
{% endfor %}
),
boxes as (
    select *
    from sqlanon.{{ boxes }}
{% if parts > 1 %}
    where {{ box }} % {{ parts }} = {{ part }}
{% endif %}
),
fitting as (
    select
        boxes.{{ box }},
        -1 as depth,
        cast(-1 as bigint) as cell,
        0 as first_position,
        0 as last_position,
        false as is_covered
    from boxes
    union all
    select
        fitting.{{ box }},
        cells.depth,
        cells.cell,
        cells.first_position,
        cells.last_position,
{% for number in numbers %}
        {{ "and " if not loop.first }}cells.least_{{ number }} >= boxes.first_{{ number }} and cells.most_{{ number }} <= boxes.last_{{ number }}
{% else %}
        true
{% endfor %}
    from fitting
    inner join cells
        on cells.depth = fitting.depth + 1
        and cells.parent = fitting.cell
    inner join boxes
        on boxes.{{ box }} = fitting.{{ box }}
{% for number in numbers %}
        and cells.most_{{ number }} >= boxes.first_{{ number }}
        and cells.least_{{ number }} <= boxes.last_{{ number }}
{% endfor %}
    where not fitting.is_covered
)
{% if counted == "pseudonyms" %}
select
    boxes.row_total,
    fitting.first_position,
    fitting.last_position,
    cast(sum(boxes.pseudonyms) as bigint) as pseudonyms
from fitting
inner join boxes on boxes.{{ box }} = fitting.{{ box }}
where fitting.is_covered
group by boxes.row_total, fitting.first_position, fitting.last_position
{% elif counted == "persons" %}
select fitting.first_position, fitting.last_position, max(boxes.persons) as persons
from fitting
inner join boxes on boxes.{{ box }} = fitting.{{ box }}
where fitting.is_covered
group by fitting.first_position, fitting.last_position
{% else %}
select {{ box }}, first_position, last_position
from fitting
where is_covered
{% endif %}
