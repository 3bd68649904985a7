-- row_combinations: the distinct rows; only their numbers are dealt and permuted, and the values
--   are joined back when rows are published
-- reads:   source_rows; the variable sqlanon_permutation_seed, which is stored in no file
-- returns: one row per distinct row
--   combination   number of the distinct row; the order has no meaning
--   row_count   source rows with these values   [rows]
--   digest   keyed hash of its values
-- nulls:   a missing value is a value of its own
with combinations as (
    -- the distinct rows
    select
        age,
        zip,
        disease,
        count(*) as row_count
    from sqlanon.source_rows
    group by
        age,
        zip,
        disease
)
select
    row_number() over () as combination,
    age,
    zip,
    disease,
    row_count,
    sha256(concat(
        getvariable('sqlanon_permutation_seed'), '|row',
        '|', length(cast(age as varchar)), ':', cast(age as varchar),
        '|', length(cast(zip as varchar)), ':', cast(zip as varchar),
        '|', length(cast(disease as varchar)), ':', cast(disease as varchar)
    )) as digest
from combinations
