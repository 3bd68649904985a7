-- source: the input as it is, one row per source row; nothing but source_rows reads it
-- plan:    plan
select *
from read_csv(
    'it''s.csv',
    header = true,
    ignore_errors = false,
    delim = ';',
    auto_type_candidates = ['varchar'],
    types = {'the "age"': 'INTEGER'}
)
