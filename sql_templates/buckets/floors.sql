{#- inputs: attributes list[CutAttribute] -#}
-- floors: the levels of every bucket, from the lowest possible to the highest useful level
-- reads:   bucket_floors
-- returns: one row per bucket: its number, its lowest levels, its highest levels
select
    bucket{% for what in ["floor", "ceiling"] %}{% for attribute in attributes %},
    {{ attribute.named(what) | ident }}{% endfor %}{% endfor %}

from sqlanon.bucket_floors
order by bucket
