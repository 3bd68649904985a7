-- attack_of_intersection_12_earlier_values: how often each disease occurs in each class of a
--   release
-- reads:   sqlanon.earlier_rows
-- returns: one row per class and value
--   value_text   the value as text
--   value_count  rows
-- nulls:   a missing value is a value of its own
select
    age,
    zip,
    cast(disease as varchar) as value_text,
    count(*) as value_count
from sqlanon.earlier_rows
group by
    age,
    zip,
    cast(disease as varchar)
