-- published_rows: the publication, as any reader of the file sees it
-- returns: one row per published row
select *
from read_parquet('it''s.parquet', hive_partitioning = false)
