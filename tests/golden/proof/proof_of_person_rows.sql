-- proof_of_person_rows: the published rows are those of person_rows, without the persons
-- reads:   published_rows, person_rows
-- returns: one row if any row is in one of them more often than in the other
--   differing_rows   distinct rows of which this is so   [rows]
-- nulls:   a null is a value of its own
select count(*) as differing_rows
from (
    select "the ""age""", sex, diagnosis, salary
    from (
        select "the ""age""", sex, diagnosis, salary, 1 as side
        from sqlanon.published_rows
        union all
        select "the ""age""", sex, diagnosis, salary, -1 as side
        from sqlanon.person_rows
    ) as rows_of_both
    group by "the ""age""", sex, diagnosis, salary
    having sum(side) <> 0
) as differing
having count(*) > 0
