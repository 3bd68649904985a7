{#- inputs: rows str, attribute str, count str, names dict[str, str] -#}
-- published_values: how often each value of {{ attribute | comment }} occurs in each bucket; the second
--   table of the publication, in a staging file until it is proven
-- reads:   {{ rows }}, row_combinations
-- returns: one row per bucket and value
--   {{ count }}   rows of the bucket with this value   [rows]
-- order:   by bucket and value
select
    {{ rows }}.bucket,
    row_combinations.{{ attribute | ident }},
    count(*) as {{ count | ident }}
from sqlanon.{{ rows }}
inner join sqlanon.row_combinations
    on row_combinations.{{ names.combination | ident }} = {{ rows }}.combination
group by {{ rows }}.bucket, row_combinations.{{ attribute | ident }}
order by {{ rows }}.bucket, row_combinations.{{ attribute | ident }}
