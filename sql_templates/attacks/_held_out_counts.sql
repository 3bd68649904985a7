{#- of `guesses`, a row for each combination and class that it fits, the rows whose guesses are all right -#}
persons_guessed as (
    select person, bool_and(is_right) as is_right
    from guesses
    group by person
)
select
    cast(coalesce(sum(persons.person_count), 0) as bigint) as row_count,
    cast(
        coalesce(sum(persons.person_count) filter (persons_guessed.is_right), 0) as bigint
    ) as guessed
from sqlanon.{{ attack }}_persons as persons
left join persons_guessed on persons_guessed.person = persons.person
