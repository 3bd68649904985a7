-- prefixes: the beginnings of codes, from long to short; for the `hierarchy` of a plan
-- reads:   the source, by its reader
-- returns: one row per value, with its label on every level
select distinct
    "tôwn",
    case
        when length("tôwn") <= 4 then "tôwn"
        else left("tôwn", 4) || '*'
    end,
    case
        when length("tôwn") <= 3 then "tôwn"
        else left("tôwn", 3) || '*'
    end,
    '*'
from read_csv('it''s.csv')
where "tôwn" is not null
