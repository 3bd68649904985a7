-- original_tuples: how many combinations of quasi-identifiers the source has
-- reads:   row_parts
-- returns: one row
--   tuples   different combinations   [tuples]
select count(*) as tuples
from (
    select distinct part_1, part_2
    from sqlanon.row_parts
) as original_tuples
