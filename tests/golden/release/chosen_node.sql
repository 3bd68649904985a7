-- chosen_node: the lattice node to publish, one level per quasi-identifier (height 13)
--   the "age": level 2 of 3, intervals of width 5
--   born: level 2 of 4, by quarter
--   zip: level 2 of 3, 2 characters masked from the left
--   select: level 2 of 3, ranges cut at 5
--   longitude: level 2 of 3, rounded to -1 decimal places
--   tôwn: level 1 of 2, level 1 of its file or query
--   work: level 1 of 1, one value for all
--   sex: level 1 of 1, one value for all
-- reads:   level_codes
-- returns: one row per quasi-identifier
select attribute_number, attribute, level, word, mask
from sqlanon.level_codes
where
    (attribute = 'the "age"' and level = 2)
    or (attribute = 'born' and level = 2)
    or (attribute = 'zip' and level = 2)
    or (attribute = 'select' and level = 2)
    or (attribute = 'longitude' and level = 2)
    or (attribute = 'tôwn' and level = 1)
    or (attribute = 'work' and level = 1)
    or (attribute = 'sex' and level = 1)
order by attribute_number
