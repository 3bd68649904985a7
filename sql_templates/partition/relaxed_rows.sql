{#- inputs: key str -#}
-- dealt_rows: every row with the class that it was dealt to
-- reads:   turned_rows, class_cells
-- returns: one row per source row: the number of its distinct row
--   bucket   number of the class, from 1
with numbered_rows as (
    -- one row per source row: its number among the rows of its turn
    select
        combination,
        deal,
        row_number() over (partition by deal order by {{ key | ident }}) as number
    from sqlanon.turned_rows
),
class_shares as (
    -- one row per turn and class: the first rows of a turn go to its first class, and so on
    select
        class,
        deal,
        sum(row_count) over (partition by deal order by class) as last_row,
        sum(row_count) over (partition by deal order by class) - row_count + 1 as first_row
    from sqlanon.class_cells
)
select numbered_rows.combination, class_shares.class as bucket
from numbered_rows
inner join class_shares
    on class_shares.deal = numbered_rows.deal
    and numbered_rows.number between class_shares.first_row and class_shares.last_row
