-- proof_of_persons: every published row belongs to a person; persons are what is counted
-- reads:   published_combinations
-- returns: one row if some rows belong to nobody
select cast(sum(row_count) as bigint) as rows_of_nobody
from sqlanon.published_combinations
where person is null
having count(*) > 0
