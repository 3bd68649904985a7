-- source: the unchanged input, one row per source row; only source_rows reads it
-- plan:    plan
-- returns: one row per source row
select *
from sqlanon_source.main.people
