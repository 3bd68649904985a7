-- histories_left_static: pseudonyms all of whose rows fit what never changes for a person
-- reads:   histories_rows, histories_person_tree, histories_boxes_fitting
-- returns: one row per person
--   remaining     pseudonyms
with located as (
    select distinct
        rows.person,
        0 as row_total,
        tree.position
    from sqlanon.histories_rows as rows
    inner join sqlanon.histories_person_tree as tree
        on tree.at_1 = rows.at_1
),
changes (row_total, position, change) as (
    -- where the number of pseudonyms changes from one combination to the next
    select distinct row_total, position, 0
    from located
    union all
    select 0, first_position, pseudonyms
    from sqlanon.histories_boxes_fitting
    union all
    select 0, last_position + 1, -pseudonyms
    from sqlanon.histories_boxes_fitting
),
counted as (
    select
        row_total,
        position,
        sum(sum(change)) over (partition by row_total order by position) as remaining
    from changes
    group by row_total, position
)
select located.person, cast(counted.remaining as bigint) as remaining
from located
inner join counted
    on counted.row_total = located.row_total
    and counted.position = located.position
