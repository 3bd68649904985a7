{#- inputs: title str, tree str, rows str, boxes str, placed str, numbers list[int], cells int, part int, parts int, counted str -#}
{% import "_comments.sql" as comments %}
{% set box = {"rows": "class", "pseudonyms": "extent", "persons": "box"}[counted] %}
{% set purpose = {
    "rows": "the classes that each known row fits",
    "pseudonyms": "pseudonyms whose rows together leave a combination of places",
    "persons": "the most persons of a class that a combination of places fits",
}[counted] %}
{% macro ranges(alias="") %}{% for number in numbers %}{{ alias }}first_{{ number }}, {{ alias }}last_{{ number }}, {% endfor %}{% endmacro %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ purpose }}; cells of the tree that labels cover as a whole are not divided
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ tree }}, {{ boxes }}{{ ", " ~ placed if placed }}{{ ", " ~ rows if counted == "rows" }}
{% endcall %}
{% if counted == "rows" %}
-- returns: one row per known row and class
--   row_count     rows of the person   [rows]
{% else %}
-- returns: one row per cell that is covered{{ ", and number of rows" if counted == "pseudonyms" }}
--   first_position, last_position   of its combinations
--   number        {{ "pseudonyms with row_total rows" if counted == "pseudonyms" else "persons" }}
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
{% if counted == "rows" %}
    select distinct {{ ranges() }}class
    from sqlanon.{{ boxes }}
{% elif counted == "pseudonyms" %}
    select {{ ranges() }}extent, row_total, count(*) as number
    from sqlanon.{{ boxes }}
    group by all
{% else %}
    select {{ ranges() }}number, row_number() over (order by {{ ranges() }}number) as box
    from (
        select {{ ranges() }}max(persons) as number
        from {% if placed %}(
            select {{ ranges("classes.") }}least(classes.persons, count(distinct placed.person)) as persons
            from sqlanon.{{ boxes }} as classes
            inner join sqlanon.{{ placed }} as placed on placed.class = classes.class
            group by {{ ranges("classes.") }}classes.class, classes.persons
        ) as class_persons{% else %}sqlanon.{{ boxes }}{% endif %}

        group by all
    ) as largest_classes
{% endif %}
),
fitting as (
    select
        {{ box }},
        -1 as depth,
        cast(-1 as bigint) as cell,
        0 as first_position,
        0 as last_position,
        false as is_covered
    from boxes
{% if parts > 1 %}
    where {{ box }} % {{ parts }} = {{ part }}
{% endif %}
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
{% if counted == "rows" %},
points as (
    select class, unnest(range(first_position, last_position + 1)) as position
    from fitting
    where is_covered
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
    boxes.row_total,
{% endif %}
    fitting.first_position,
    fitting.last_position,
    cast({{ "sum" if counted == "pseudonyms" else "max" }}(boxes.number) as bigint) as number
from fitting
inner join boxes on boxes.{{ box }} = fitting.{{ box }}
where fitting.is_covered
group by {{ "boxes.row_total, " if counted == "pseudonyms" }}fitting.first_position, fitting.last_position
{% endif %}
