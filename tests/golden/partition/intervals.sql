-- intervals: what every attribute is cut into, for all rows alike
-- returns: one row per attribute and interval
--   first_place, last_place   the places that it covers, in value_places
select *
from (
    values
        (1, 0, 9),
        (1, 10, 99),
        (2, 0, 30),
        (3, 0, 1),
        (4, 0, 4)
) as listed_intervals (attribute_number, first_place, last_place)
