-- bucketed_text: the rows of buckets as text, however they are stored
-- reads:   sqlanon.bucketed_rows
-- returns: one row per row
select
    cast(age as varchar) as age,
    cast(zip as varchar) as zip,
    cast(disease as varchar) as disease,
    bucket
from sqlanon.bucketed_rows
