-- proof_of_unchanging_persons: persons whose quasi-identifiers differ from row to row; in a
--   population, which has one row per person, it would be unknown which row is theirs
-- reads:   source_combinations
-- returns: one row if there are such persons; no row if there are none
--   persons   such persons   [persons]
select count(*) as persons
from (
    select person
    from (
        select distinct
            person, "the ""age""", sex
        from sqlanon.source_combinations
        where row_count > 0
    ) as combinations
    group by person
    having count(*) > 1
) as changing
having count(*) > 0
