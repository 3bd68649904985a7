{#- inputs: path str, one_file bool, columns list[str] -#}
-- file_metadata: metadata entries of Parquet files; anyone can read them
-- returns: one row: the number of entries, without what Spark itself writes into every file: its
--   version, and names and types of the columns
-- nulls:   what is no text counts as an entry
with entries as (
    select try(decode(key)) as key, try(decode(value)) as value
    from parquet_kv_metadata({{ (path | file) if one_file else (path | files) }})
)
select count(*) as entry_count
from entries
where not coalesce(
    key = 'org.apache.spark.version'
        and regexp_full_match(value, '[0-9]{1,3}([.][0-9]{1,3}){1,3}'), false
)
    and not coalesce(
        key = 'org.apache.spark.sql.parquet.row.metadata'
            and regexp_full_match(value, '\{"type":"struct","fields":\[(\{"name":"[^"\\]*","type":"[a-z_]+([(][0-9]+(,[0-9]+)?[)])?","nullable":(true|false),"metadata":\{\}\},?)*\]\}')
            and regexp_extract_all(value, '"name":"([^"\\]*)"', 1)
                = [{% for name in columns %}{{ name | text }}{{ ", " if not loop.last }}{% endfor %}], false
    )
