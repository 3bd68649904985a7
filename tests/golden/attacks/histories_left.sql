-- histories_left_static: pseudonyms all of whose rows fit what never changes for a person
-- reads:   histories_rows, histories_person_tree, histories_person_tree_pseudonyms
-- returns: one row per person of whom something fits
--   remaining     pseudonyms
with points as (
    select number, unnest(range(first_position, last_position + 1)) as position
    from sqlanon.histories_person_tree_pseudonyms
),
counted as (
    select position, cast(sum(number) as bigint) as remaining
    from points
    group by position
)
select rows.person, min(counted.remaining) as remaining
from sqlanon.histories_rows as rows
inner join sqlanon.histories_person_tree as tree
    on tree.at_1 = rows.at_1
inner join counted
    on counted.position = tree.position
where rows.known_number <= 1
group by rows.person
