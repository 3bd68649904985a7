-- histories_left_worst: where nothing joins rows, each known row leaves the persons of its class
-- reads:   histories_placed, histories_persons
-- returns: one row per person with a row that fits a class
--   remaining     persons, for the row that leaves the fewest
with known_rows as (
    select placed.person, placed.known_number, max(persons.persons) as persons
    from sqlanon.histories_placed as placed
    inner join sqlanon.histories_persons as persons on persons.class = placed.class
    group by placed.person, placed.known_number
)
select person, min(persons) as remaining
from known_rows
group by person
