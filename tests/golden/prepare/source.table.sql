-- source: the input as it is, one row per source row; nothing but source_rows reads it
-- plan:    plan
select *
from sqlanon_source.main.people
