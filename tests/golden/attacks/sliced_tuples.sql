-- attack_of_homogeneity_4_tuples: the combinations of quasi-identifiers that an attacker may know:
--   every choice of parts of a bucket, one from each column group
-- reads:   sqlanon.attack_of_homogeneity_4_text
-- returns: one row per combination, as text
--   row_count   1: how many persons have it is not known
-- nulls:   a missing value is a value of its own
with bucket_parts_of_value_2 as (
    select distinct
        bucket,
        value_2
    from sqlanon.attack_of_homogeneity_4_text
),
bucket_parts_of_value_1 as (
    select distinct
        bucket,
        value_1
    from sqlanon.attack_of_homogeneity_4_text
)
select distinct
    bucket_parts_of_value_2.value_2,
    bucket_parts_of_value_1.value_1,
    1 as row_count
from bucket_parts_of_value_2
inner join bucket_parts_of_value_1
    on bucket_parts_of_value_1.bucket = bucket_parts_of_value_2.bucket
