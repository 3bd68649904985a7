-- source_combinations: the one pass over the source; later steps before the release read this
-- reads:   source_rows
-- returns: one row per distinct combination of quasi-identifiers and counted columns,
--   and person
--   row_count  source rows with this combination   [rows]
-- nulls:   a null is a value of its own
select
    "the ""age""", sex, diagnosis as counted_1, salary as counted_2, visitor as person,
    count(*) as row_count
from sqlanon.source_rows
group by "the ""age""", sex, diagnosis, salary, visitor
