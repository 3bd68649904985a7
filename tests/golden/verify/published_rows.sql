-- published_rows: the publication, as anybody who has the file reads it
select *
from read_parquet('it''s.parquet')
