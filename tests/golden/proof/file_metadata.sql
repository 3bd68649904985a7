-- file_metadata: metadata entries of a Parquet file; anyone can read them
-- returns: one row: the number of entries
select count(*) as entry_count
from parquet_kv_metadata('it''s published.parquet')
