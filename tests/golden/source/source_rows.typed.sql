-- source_rows: the columns that may leave the database, by name, and no other
-- reads:   source
-- returns: one row per source row
select
    case when isnan("the ""age""") then cast('nan' as double) else "the ""age""" + 0.0 end
        as "the ""age""",
    sex collate "binary" as sex
from sqlanon.source
