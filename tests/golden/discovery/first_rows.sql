-- first_rows: the beginning of the source, in the columns that warnings are about
-- reads:   source
-- returns: one row per source row, 1000 at most
select
    "the ""age""",
    town
from sqlanon.source
limit 1000
