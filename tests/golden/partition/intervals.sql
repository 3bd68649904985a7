-- intervals: the intervals of every attribute, the same for all rows
-- returns: one row per attribute and interval
--   first_place, last_place   first and last place of the interval, in places
select *
from (
    values
        (1, 0, 9),
        (1, 10, 99),
        (2, 0, 30),
        (3, 0, 1),
        (4, 0, 4)
) as listed_intervals (attribute_number, first_place, last_place)
