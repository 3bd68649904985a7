-- source_rows: the columns that may leave the database, by name, and no other
-- reads:   source
-- returns: one row per source row, at most 4 of a person
select "the ""age""", sex, diagnosis, salary, visitor
from (
    select
        "the ""age""", sex, diagnosis, salary, visitor,
        -- in an order that nobody knows: the key is a session variable and stored in no file
        row_number() over (
            partition by visitor
            order by sha256(concat(
                getvariable('sqlanon_pseudonym_key'), '|rows',
                '|', length(cast("the ""age""" as varchar)), ':', cast("the ""age""" as varchar),
                '|', length(cast(sex as varchar)), ':', cast(sex as varchar),
                '|', length(cast(diagnosis as varchar)), ':', cast(diagnosis as varchar),
                '|', length(cast(salary as varchar)), ':', cast(salary as varchar),
                '|', length(cast(visitor as varchar)), ':', cast(visitor as varchar)
            ))
        ) as row_place_of_person
    from (
select
    "the ""age""",
    sex,
    diagnosis,
    salary,
    -- keyed hash (HMAC construction); the key is a session variable and is stored in no file
    sha256(getvariable('sqlanon_pseudonym_key') || sha256(
        getvariable('sqlanon_pseudonym_key') || cast(visitor as varchar)
    )) as visitor
from sqlanon.source
    ) as read_rows
) as placed_rows
where row_place_of_person <= 4
