{#- inputs: title str, tree str, rows str, boxes str, placed str, numbers list[int], cells int, part int, parts int, counted str -#}
{% set kept = {"rows": "class", "pseudonyms": "row_total, number", "persons": "number"}[counted] %}
{% set purpose = {
    "rows": "the classes that each known row fits",
    "pseudonyms": "pseudonyms whose rows together leave a combination of places",
    "persons": "the most persons of a class that a combination of places fits",
}[counted] %}
{% macro ranges(alias="") %}{% for number in numbers %}{{ alias }}first_{{ number }}, {{ alias }}last_{{ number }}, {% endfor %}{% endmacro %}
-- {{ title }}: {{ purpose }}; cells of the tree that labels cover as a whole are not divided
-- reads:   {{ tree }}, {{ boxes }}{{ ", " ~ placed if placed }}{{ ", " ~ rows if counted == "rows" }}
{% if counted == "rows" %}
-- returns: one row per known row and class
--   row_count     rows of the person   [rows]
{% else %}
-- returns: one row per cell that is covered{{ ", and number of rows" if counted == "pseudonyms" }}
--   first_position, last_position   of its combinations
--   number        {{ "pseudonyms with row_total rows" if counted == "pseudonyms" else "persons" }}
{% endif %}
with {% for cell in range(cells + 1) %}
cells_{{ cell }} as (
    select
        cell_{{ cell }} as cell,
        {{ "0" if loop.first else "cell_" ~ (cell - 1) }} as parent,
{% for number in numbers %}
        min(at_{{ number }}) as least_{{ number }},
        max(at_{{ number }}) as most_{{ number }},
{% endfor %}
        min(position) as first_position,
        max(position) as last_position
    from sqlanon.{{ tree }}
    group by all
),
{% endfor %}
fitting_0 as (
    select {{ ranges() }}{{ kept }}, 0 as cell, 0 as first_position, 0 as last_position, false as is_covered
{% if counted == "rows" %}
    from (select distinct {{ ranges() }}class from sqlanon.{{ boxes }}) as boxes
{% elif counted == "pseudonyms" %}
    from (
        select {{ ranges() }}row_total, count(*) as number
        from sqlanon.{{ boxes }}
{% if parts > 1 %}
        where extent % {{ parts }} = {{ part }}
{% endif %}
        group by all
    ) as boxes
{% else %}
    from (
        select {{ ranges() }}max(persons) as number
        from {% if placed %}(
            select {{ ranges("classes.") }}least(classes.persons, count(distinct placed.person)) as persons
            from sqlanon.{{ boxes }} as classes
            inner join sqlanon.{{ placed }} as placed on placed.class = classes.class
            group by {{ ranges("classes.") }}classes.class, classes.persons
        ) as class_persons{% else %}sqlanon.{{ boxes }}{% endif %}

        group by all
    ) as boxes
{% endif %}
){% for cell in range(cells + 1) %},
fitting_{{ cell + 1 }} as (
    select
        {{ ranges("boxes.") }}{{ kept }},
        cells.cell,
        cells.first_position,
        cells.last_position,
{% for number in numbers %}
        {{ "and " if not loop.first }}cells.least_{{ number }} >= boxes.first_{{ number }} and cells.most_{{ number }} <= boxes.last_{{ number }}
{% else %}
        true
{% endfor %}
            as is_covered
    from fitting_{{ cell }} as boxes
    inner join cells_{{ cell }} as cells
        on cells.parent = boxes.cell
{% for number in numbers %}
        and cells.most_{{ number }} >= boxes.first_{{ number }}
        and cells.least_{{ number }} <= boxes.last_{{ number }}
{% endfor %}
    where not boxes.is_covered
){% endfor %},
covered as (
{% for cell in range(cells + 1) %}
    {{ "union all " if not loop.first }}select {{ kept }}, first_position, last_position
    from fitting_{{ cell + 1 }}
    where is_covered
{% endfor %}
){% if counted == "rows" %},
points as (
    select class, unnest(range(first_position, last_position + 1)) as position
    from covered
)
select rows.person, rows.known_number, rows.row_count, points.class
from sqlanon.{{ rows }} as rows
inner join sqlanon.{{ tree }} as tree
{% for number in numbers %}
    {{ "on" if loop.first else "and" }} tree.at_{{ number }} = rows.at_{{ number }}
{% endfor %}
inner join points on points.position = tree.position
{% else %}

select
{% if counted == "pseudonyms" %}
    row_total,
{% endif %}
    first_position,
    last_position,
    cast({{ "sum" if counted == "pseudonyms" else "max" }}(number) as bigint) as number
from covered
group by {{ "row_total, " if counted == "pseudonyms" }}first_position, last_position
{% endif %}
