-- histories_left_worst_3: pseudonyms with 3 different rows for 3 known ones
-- reads:   histories_hits
-- returns: one row per person with 3 such rows
--   remaining     pseudonyms, for the worst choice of rows
with several as (
    select person, pseudonym
    from sqlanon.histories_hits
    group by person, pseudonym
    having min(known_number) < max(known_number)
),
joint_hits as (
    select hits.*
    from sqlanon.histories_hits as hits
    inner join several
        on several.person = hits.person
        and several.pseudonym = hits.pseudonym
),
counted as (
    select
        a.person, a.known_number as known_1, b.known_number as known_2, c.known_number as known_3,
        count(distinct a.pseudonym) as remaining
    from joint_hits as a
    inner join joint_hits as b
        on b.person = a.person
        and b.pseudonym = a.pseudonym
        and b.known_number > a.known_number
        and b.slots > case when b.class = a.class then 1 else 0 end
    inner join joint_hits as c
        on c.person = a.person
        and c.pseudonym = a.pseudonym
        and c.known_number > b.known_number
        and c.slots > case when c.class = a.class then 1 else 0 end
            + case when c.class = b.class then 1 else 0 end
    where a.row_count <= 31
    group by a.person, a.known_number, b.known_number, c.known_number
)
select person, min(remaining) as remaining
from counted
group by person
