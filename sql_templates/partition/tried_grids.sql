{#- inputs: ends list[CutAttribute], candidates list[CutAttribute], unit_alias str | None, least_persons int -#}
{% import "partition/_grid.sql" as grids %}
{% set who = "persons" if unit_alias else "rows" %}
-- tried_grids: what grids do for the values that fewer than {{ least_persons }} {{ who }} have
-- reads:   {{ "source_combinations" if unit_alias else "source_values" }}
-- returns: one row per candidate
--   rare_values    number of these values; values_on_lines: of those that are lines themselves
--   rare_persons   {{ who }} who have them, by value; hidden_persons: of those whose line is the
--                  line of {{ least_persons }} or more
with {% include "partition/_value_persons.sql" %}

lines (candidate, persons, line, is_line) as (
    -- one row per candidate and value: the line of the grid at or below it
{% for attribute in candidates %}
{% set grid = attribute.grid %}
    {{ "union all\n    " if not loop.first }}select
        {{ loop.index }},
        persons,
        {{ grids.text("line", grid) | indent(8) }},
        {{ grids.is_line("exact", "line", grid) | indent(8) }}
    from (
        select
            persons,
            exact,
            case
                when {{ grids.has_line("exact", grid) }}
                    then {{ grids.line("exact", grid) | indent(20) }}
            end as line
        from (
            select persons, {{ grids.exact("value", grid) }} as exact
            from value_persons
            where attribute_number = {{ attribute.number }} and value is not null
        ) as exact_values
    ) as lines
{% endfor %}
),
cells as (
    -- the same rows: how many have the line
    select *, sum(persons) over (partition by candidate, line) as line_persons
    from lines
)
select
    candidate,
    count(*) as rare_values,
    count(*) filter (where is_line) as values_on_lines,
    cast(sum(persons) as bigint) as rare_persons,
    coalesce(
        cast(sum(persons) filter (where line_persons >= {{ least_persons }}) as bigint), 0
    ) as hidden_persons
from cells
where persons < {{ least_persons }}
group by candidate
order by candidate
