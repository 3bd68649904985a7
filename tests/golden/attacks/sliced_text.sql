-- attack_of_homogeneity_4_text: the quasi-identifiers and the sensitive value of each published
--   row, as text
-- reads:   sqlanon.published_rows
-- returns: one row per row; columns that stay together in the publication still do
--   bucket            number of the bucket
--   value_1           age
--   value_2           zip
--   sensitive_value   disease
-- nulls:   a missing value is a value of its own
select
    published.bucket as bucket,
    cast(published.age as varchar) as value_1,
    cast(published.zip as varchar) as value_2,
    cast(published.disease as varchar) as sensitive_value
from sqlanon.published_rows as published
