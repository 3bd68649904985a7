{#- inputs: name str, run int -#}
-- pairs_of_{{ name }}: the pairs of parts in a run of buckets
-- reads:   {{ name }}
-- returns: one row per pair: its bucket, the numbers of its parts, how often the bucket has each
--   part, and how many source rows have both
select bucket, first, second, first_count, second_count, most
from sqlanon.{{ name | ident }}
where run = {{ run | number }}
order by bucket, first, second
