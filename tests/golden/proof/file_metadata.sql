-- file_metadata: entries of a Parquet file beside its columns; readers show them to whoever asks
-- returns: one row with their number
select count(*) as entry_count
from parquet_kv_metadata('it''s published.parquet')
