-- histories_left_worst_3: pseudonyms with 3 different rows in the classes of known ones; labels of
--   classes do not overlap, so a row fits one class, and all rows of a pseudonym agree in what
--   never changes
-- reads:   histories_row_tree_rows, histories_published
-- returns: one row per person with 3 such rows
--   remaining     pseudonyms, for the worst choice of rows
with known_parts as (
    select person as holder, class, count(*) as slots
    from sqlanon.histories_row_tree_rows
    where row_count <= 31
    group by person, class
),
published_parts as (
    select pseudonym as holder, class, slots
    from sqlanon.histories_published
    qualify sum(slots) over (partition by pseudonym) <= 31
),
known_sets as (
    select a.holder, a.class as class_1, b.class as class_2, c.class as class_3
    from known_parts as a
    inner join known_parts as b
        on b.holder = a.holder
        and (
            b.class > a.class
            or (b.class = a.class and b.slots >= 2)
        )
    inner join known_parts as c
        on c.holder = a.holder
        and (
            c.class > b.class
            or (c.class = b.class and c.slots >= case when a.class = b.class then 3 else 2 end)
        )
),
published_sets as (
    select a.holder, a.class as class_1, b.class as class_2, c.class as class_3
    from published_parts as a
    inner join published_parts as b
        on b.holder = a.holder
        and (
            b.class > a.class
            or (b.class = a.class and b.slots >= 2)
        )
    inner join published_parts as c
        on c.holder = a.holder
        and (
            c.class > b.class
            or (c.class = b.class and c.slots >= case when a.class = b.class then 3 else 2 end)
        )
),
counted as (
    select class_1, class_2, class_3, count(*) as pseudonyms
    from published_sets
    group by class_1, class_2, class_3
)
select known_sets.holder as person, min(counted.pseudonyms) as remaining
from known_sets
inner join counted
    on counted.class_1 = known_sets.class_1
    and counted.class_2 = known_sets.class_2
    and counted.class_3 = known_sets.class_3
group by known_sets.holder
