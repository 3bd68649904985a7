-- source: the unchanged input, one row per source row; only source_rows reads it
-- plan:    plan
-- returns: one row per source row
select *
from read_csv('it''s.csv', hive_partitioning = false, header = true, quote = '"', escape = '"',
    comment = '', skip = 0, strict_mode = true, null_padding = false, ignore_errors = false,
    delim = ';', auto_type_candidates = ['varchar'], types = {'the "age"': 'INTEGER'})
