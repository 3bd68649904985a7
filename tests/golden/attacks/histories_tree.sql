-- histories_person_tree: what is known, in cells that are divided into 8 by one column after the
--   other
-- reads:   histories_rows
-- returns: one row per distinct combination of places
--   position      number of the combination; the combinations of a cell have consecutive numbers
--   cell_N        number of its cell after N divisions
with points as (
    select distinct
        at_1
    from sqlanon.histories_rows
),
cells_0 as (
    select *, cast(0 as bigint) as cell_0
    from points
),
cells_1 as (
    select
        *,
        cell_0 * 8 + ntile(8) over (
            partition by cell_0
            order by
                at_1
        ) - 1 as cell_1
    from cells_0
)
select *, cast(row_number() over (order by cell_1) as integer) as position
from cells_1
