{#- inputs: uniques str -#}
-- special_unique_sets: how many rows, or persons, each set of columns singles out
-- reads:   {{ uniques }}
-- returns: one row per set, the one that singles out most first
--   members    the columns of the set, a bit each
--   row_count  rows that are alone on it, and on no smaller one   [rows]
select members, count(*) as row_count
from sqlanon.{{ uniques }}
group by members
order by row_count desc, members
