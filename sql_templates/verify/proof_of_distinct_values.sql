{#- inputs: attribute str, size int -#}
-- proof_of_dealing: no bucket has a {{ attribute | comment }} twice, and all have {{ size }} rows or more
-- source:  Xiao and Tao 2006, Anatomy, Properties 1 and 3 of a partition
-- reads:   published_rows
-- returns: one row per bucket of which that is not so
select bucket, count(*) as row_count
from sqlanon.published_rows
group by bucket
having count(*) < {{ size }}
    or count({{ attribute | ident }}) > count(distinct cast({{ attribute | ident }} as varchar))
    or count(*) > count({{ attribute | ident }}) + 1
