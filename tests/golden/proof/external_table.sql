-- published_table: a table that promises are looked for in
-- returns: one row per row of the table
select
    *
from read_csv('/data/dealt/dealt.csv', hive_partitioning = false, header = true,
    all_varchar = true, quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true,
    null_padding = false, ignore_errors = false, delim = ',', allow_quoted_nulls = false)
