-- proof_of_persons: the number of persons is one for all rows of a class, and no more than its rows
-- reads:   published_rows
-- returns: one row if a class is not so
select count(*) as classes
from (
    select "the ""age""", sex
    from (
        select "the ""age""", sex, cast(persons as bigint) as person_count, count(*) as row_count
        from sqlanon.published_rows
        group by "the ""age""", sex, persons
    ) as shown_classes
    group by "the ""age""", sex
    having count(*) > 1 or max(person_count) > sum(row_count)
        or max(person_count) < 1 or max(person_count) is null
) as unsound_classes
having count(*) > 0
