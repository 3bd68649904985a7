{#- inputs: key str, keys list[str] -#}
-- bucketed_rows: every row with the bucket that it was dealt to
-- reads:   part_keys, dealt_rows
-- returns: one row per source row: its combination and its keys
--   bucket   number of the bucket, from 1
-- order:   dealing may put equal rows into several buckets. Which of them has which keys does not
--   depend on the keys by which parts are shuffled
with numbered_keys as (
    -- one row per source row: its number among equal rows
    select
        *,
        row_number() over (partition by combination order by {{ key | ident }}) as number
    from sqlanon.part_keys
),
numbered_buckets as (
    -- one row per source row: its bucket, and its number among equal rows
    select
        combination,
        bucket,
        row_number() over (partition by combination order by bucket) as number
    from sqlanon.dealt_rows
)
select
    numbered_keys.combination,
{% for key in keys %}
    numbered_keys.{{ key | ident }},
{% endfor %}
    numbered_buckets.bucket
from numbered_keys
inner join numbered_buckets
    on numbered_buckets.combination = numbered_keys.combination
    and numbered_buckets.number = numbered_keys.number
