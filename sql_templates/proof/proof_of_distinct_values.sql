{#- inputs: attribute str -#}
-- proof_of_dealing: no bucket has a {{ attribute | comment }} twice; how many rows a bucket needs the promises say
-- source:  Xiao and Tao 2006, Anatomy, figure 3: l different values a bucket, and one more of each that is left over
-- reads:   published_rows
-- returns: one row per bucket that has one
-- nulls:   a missing value is a value of its own
select bucket, count(*) as row_count
from sqlanon.published_rows
group by bucket
having count({{ attribute | ident }}) > count(distinct cast({{ attribute | ident }} as varchar))
    or count(*) > count({{ attribute | ident }}) + 1
