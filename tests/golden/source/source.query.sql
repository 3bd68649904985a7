-- source: the input as it is, one row per source row; nothing but source_rows reads it
-- plan:    plan
-- returns: one row per source row
select *
from (
select *
from patients
) as source
