-- histories_extents: what the rows of each pseudonym together leave of the columns that never
--   change
-- reads:   histories_published
-- returns: one row per pseudonym whose rows can be of one person
--   row_total     rows of the pseudonym   [rows]
--   extent        number of its ranges and rows: pseudonyms with the same ones share it
--   first_N, last_N   places of column N that all its labels cover
with extents as (
    select
        pseudonym,
        max(first_1) as first_1,
        min(last_1) as last_1,
        cast(sum(slots) as integer) as row_total
    from sqlanon.histories_published
    group by pseudonym
)
select
    *,
    cast(
        dense_rank() over (
            order by
                first_1, last_1,
                row_total
        ) as integer
    ) as extent
from extents
where first_1 <= last_1
