-- masked_rows: the number of rows with '*' in every quasi-identifier
-- reads:   the published table
-- returns: one row
select count(*) as row_count
from sqlanon.published_table
where
    "the ""age""" = '*'
    and sex = '*'
