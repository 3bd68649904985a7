{#- inputs: most int -#}
-- proof_of_row_limit: no person has more than {{ most }} published rows
-- reads:   published_combinations
-- returns: one row if some person has more; otherwise no row
select count(*) as person_count
from (
    select person
    from sqlanon.published_combinations
    group by person
    having sum(row_count) > {{ most }}
) as persons
having count(*) > 0
