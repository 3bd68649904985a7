-- attack_of_homogeneity_4_class_values: how often each disease occurs in a bucket with the same
--   other values of its column group
-- reads:   sqlanon.attack_of_homogeneity_4_text
-- returns: one row per bucket, combination of these values, and disease
--   value         the disease, as text
--   value_count   [rows]
-- nulls:   a missing value is a value of its own
select
    bucket as quasi_identifier_1,
    value_1 as companion_1,
    sensitive_value as value,
    count(*) as value_count
from sqlanon.attack_of_homogeneity_4_text
group by
    bucket,
    value_1,
    sensitive_value
