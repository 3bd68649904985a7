{#- inputs: attributes list[CutAttribute], raised list[tuple] -#}
-- bucket_nodes: the levels to which each bucket is generalized
-- reads:   bucket_floors
-- returns: one row per bucket
--   level_N   level of quasi-identifier N
with raised as (
    -- buckets whose columns are allowed one by one but not together, as exact counting found
    select *
    from (values
{% for node in raised %}
        ({{ node | join(", ") }}){{ "," if not loop.last }}
{% else %}
        (cast(null as integer){% for attribute in attributes %}, cast(null as integer){% endfor %})
{% endfor %}
    ) as listed (bucket{% for attribute in attributes %}, level_{{ attribute.number }}{% endfor %})
    where bucket is not null
)
select
    bucket_floors.bucket,
{% for attribute in attributes %}
    coalesce(raised.level_{{ attribute.number }}, bucket_floors.floor_{{ attribute.number }}) as level_{{ attribute.number }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.bucket_floors as bucket_floors
left join raised on raised.bucket = bucket_floors.bucket
