{#- inputs: rows str, attribute str, count str -#}
-- published_values: how often each value of {{ attribute | comment }} occurs in each bucket; the second
--   table of the publication, in a staging file until it is proven
-- reads:   {{ rows }}
-- returns: one row per bucket and value
--   {{ count }}   rows of the bucket with this value   [rows]
-- order:   by bucket and value
select bucket, {{ attribute | ident }}, count(*) as {{ count | ident }}
from sqlanon.{{ rows }}
group by bucket, {{ attribute | ident }}
order by bucket, {{ attribute | ident }}
