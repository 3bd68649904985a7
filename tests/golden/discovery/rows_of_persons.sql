-- rows_of_persons: how many persons have how many rows
-- reads:   source
-- returns: one row per number of rows
--   rows_each   rows of a person   [rows]
--   persons     persons with as many rows   [persons]
select rows_each, count(*) as persons
from (
    select count(*) as rows_each
    from sqlanon.source
    group by "tôwn"
) as rows_of_persons
group by rows_each
order by rows_each
