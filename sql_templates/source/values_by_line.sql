{#- inputs: attribute str, grid Grid, least int, most int -#}
{% import "partition/_grid.sql" as grids %}
-- values_by_line: how many rows have a value from a line of a grid up to the next line
-- reads:   source_values
-- returns: one row per line with values, in their order; at most {{ most }}
--   line        the line, as text
--   row_count   source rows   [rows]
--   is_end      1 if a range may begin at the line: no value of fewer than {{ least | number }} rows is there
-- nulls:   missing values and what is no number have no line
with numbers as (
    select exact, cast(sum(row_count) as bigint) as row_count
    from (
        select {{ grids.exact("value", grid) }} as exact, row_count
        from sqlanon.source_values
        where attribute = {{ attribute | text }}
    ) as exact_values
    where exact is not null
    group by exact
),
lines as (
    select exact, row_count, {{ grids.line("exact", grid) }} as line
    from numbers
)
select
    {{ grids.text("line", grid) }} as line_text,
    cast(sum(row_count) as bigint) as row_count,
    min(case when exact = line and row_count < {{ least | number }} then 0 else 1 end) as is_end
from lines
group by line
order by line
limit {{ most }}
