-- proof_of_persons: every published row has the number of persons of its class
-- reads:   published_rows, published_equivalence_classes
-- returns: one row if a class has another number, or none
select count(*) as classes
from (
    select "the ""age""", sex, cast(persons as bigint) as person_count, count(*) as row_count
    from sqlanon.published_rows
    group by "the ""age""", sex, persons
) as shown_classes
left join sqlanon.published_equivalence_classes as classes
    on classes."the ""age""" is not distinct from shown_classes."the ""age"""
    and classes.sex is not distinct from shown_classes.sex
where shown_classes.person_count is distinct from classes.class_size
having count(*) > 0
