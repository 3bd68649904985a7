-- lattice_nodes: every combination of one level per quasi-identifier, 15360 in all
-- reads:   level_codes
-- returns: one row per lattice node
--   node      number of the node, in the order of its levels
--   level_1   level of the "age"
--   level_2   level of born
--   level_3   level of zip
--   level_4   level of select
--   level_5   level of longitude
--   level_6   level of tôwn
--   level_7   level of work
--   level_8   level of sex
--   mask_..   the bits of a packed key that the node keeps
select
    row_number() over (
        order by
            codes_1.level,
            codes_2.level,
            codes_3.level,
            codes_4.level,
            codes_5.level,
            codes_6.level,
            codes_7.level,
            codes_8.level
    ) - 1 as node,
    codes_1.level as level_1,
    codes_2.level as level_2,
    codes_3.level as level_3,
    codes_4.level as level_4,
    codes_5.level as level_5,
    codes_6.level as level_6,
    codes_7.level as level_7,
    codes_8.level as level_8,
    codes_1.mask
        + codes_2.mask
        + codes_3.mask
        + codes_4.mask
        + codes_5.mask
        + codes_6.mask
        + codes_7.mask as mask_1,
    codes_8.mask as mask_2
from
    (
        select level, mask from sqlanon.level_codes where attribute = 'the "age"'
    ) as codes_1
    cross join (
        select level, mask from sqlanon.level_codes where attribute = 'born'
    ) as codes_2
    cross join (
        select level, mask from sqlanon.level_codes where attribute = 'zip'
    ) as codes_3
    cross join (
        select level, mask from sqlanon.level_codes where attribute = 'select'
    ) as codes_4
    cross join (
        select level, mask from sqlanon.level_codes where attribute = 'longitude'
    ) as codes_5
    cross join (
        select level, mask from sqlanon.level_codes where attribute = 'tôwn'
    ) as codes_6
    cross join (
        select level, mask from sqlanon.level_codes where attribute = 'work'
    ) as codes_7
    cross join (
        select level, mask from sqlanon.level_codes where attribute = 'sex'
    ) as codes_8
