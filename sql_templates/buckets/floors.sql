{#- inputs: attributes list[CutAttribute] -#}
-- floors: the levels of every bucket, from the lowest possible to the highest useful level
-- reads:   bucket_floors
-- returns: one row per bucket: its number, its lowest levels, its highest levels
select bucket{% for attribute in attributes %}, floor_{{ attribute.number }}{% endfor %}{% for attribute in attributes %}, own_{{ attribute.number }}{% endfor %}

from sqlanon.bucket_floors
order by bucket
