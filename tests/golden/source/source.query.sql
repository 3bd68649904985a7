-- source: the unchanged input, one row per source row; only source_rows reads it
-- plan:    plan
-- returns: one row per source row
select *
from (
select *
from patients
) as source
