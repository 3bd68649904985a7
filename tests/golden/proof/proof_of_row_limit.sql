-- proof_of_row_limit: no person has more than 4 published rows
-- reads:   published_combinations
-- returns: one row if some person has more; otherwise no row
select count(*) as person_count
from (
    select person
    from sqlanon.published_combinations
    group by person
    having sum(row_count) > 4
) as persons
having count(*) > 0
