{#- inputs: name str, run int -#}
-- pairs_of_{{ name }}: the pairs of parts of a run of buckets
-- reads:   {{ name }}
-- returns: one row per pair: bucket, its parts by number, how often each is there, and both in one source row
select bucket, first, second, first_count, second_count, most
from sqlanon.{{ name | ident }}
where run = {{ run | number }}
order by bucket, first, second
