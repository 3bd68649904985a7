-- source_rows: the columns that may leave the database, by name, and no other
-- reads:   source
-- returns: one row per source row that has no missing value
-- not published: patient, an identifier
select
    '*' as ward,
    -- keyed hash (HMAC construction); the key is a session variable and is stored in no file
    sha256(getvariable('sqlanon_pseudonym_key') || sha256(
        getvariable('sqlanon_pseudonym_key') || cast(case_number as varchar)
    )) as case_number,
    "the ""age""",
    born,
    zip,
    "select",
    longitude,
    "tôwn",
    work,
    sex,
    diagnosis,
    class_1
from sqlanon.source
where "the ""age""" is not null
    and born is not null
    and zip is not null
    and "select" is not null
    and longitude is not null
    and "tôwn" is not null
    and work is not null
    and sex is not null
    and diagnosis is not null
