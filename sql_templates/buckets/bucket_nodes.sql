{#- inputs: attributes list[CutAttribute], raised list[tuple] -#}
-- bucket_nodes: the levels to which each bucket is generalized
-- reads:   bucket_floors
-- returns: one row per bucket
{% for attribute in attributes %}
--   {{ attribute.named("level") }}   level of {{ attribute.name | comment }}
{% endfor %}
{% if raised %}
with raised (bucket{% for attribute in attributes %}, {{ attribute.named("level") | ident }}{% endfor %}) as (
    -- buckets whose columns are allowed one by one but not together, as exact counting found
    values
{% for node in raised %}
        ({{ node | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
)
{% endif %}
select
    bucket_floors.bucket,
{% for attribute in attributes %}
{% if raised %}
    coalesce(
        raised.{{ attribute.named("level") | ident }}, bucket_floors.{{ attribute.named("floor") | ident }}
    ) as {{ attribute.named("level") | ident }}{{ "," if not loop.last }}
{% else %}
    bucket_floors.{{ attribute.named("floor") | ident }} as {{ attribute.named("level") | ident }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
from sqlanon.bucket_floors
{% if raised %}
left join raised on raised.bucket = bucket_floors.bucket
{% endif %}
