-- published_rows: the publication, as anybody who has the file reads it
-- returns: one row per published row
select *
from read_parquet('it''s.parquet', hive_partitioning = false)
