-- proof_of_persons: every published row belongs to a person, because persons are counted
-- reads:   published_combinations
-- returns: one row if a row belongs to no person
select cast(sum(row_count) as bigint) as rows_of_nobody
from sqlanon.published_combinations
where person is null
having count(*) > 0
