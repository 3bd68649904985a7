-- proof_of_dealing: no bucket has a disease twice; the promises determine its number of rows
-- source:  Xiao and Tao 2006, Anatomy, figure 3: each bucket has l different values; a row that is
--   left over goes to a bucket without its value
-- reads:   published_rows
-- returns: one row per bucket that has a value twice
-- nulls:   a missing value is a value of its own
select bucket, count(*) as row_count
from sqlanon.published_rows
group by bucket
having count(disease) > count(distinct cast(disease as varchar))
    or count(*) > count(disease) + 1
