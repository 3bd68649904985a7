-- histories_drawn: the persons whose rows are compared with those of pseudonyms, always the same
--   ones
-- reads:   histories_rows
-- returns: one row per person with 100 rows at most; 4 persons at most
select person
from sqlanon.histories_rows
where known_number = 1
    and row_count <= 100
order by md5(cast(person as varchar)), person
limit 4
