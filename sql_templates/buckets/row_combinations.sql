{#- inputs: columns list[str], names dict[str, str] -#}
{% import "buckets/_keyed_hash.sql" as keyed %}
-- row_combinations: the distinct rows; only their numbers are dealt and permuted, and the values
--   are joined back when rows are published
-- reads:   source_rows; the variable sqlanon_permutation_seed, which is stored in no file
-- returns: one row per distinct row
--   {{ names.combination }}   number of the distinct row; the order has no meaning
--   {{ names.row_count }}   source rows with these values   [rows]
--   {{ names.digest }}   keyed hash of its values
-- nulls:   a missing value is a value of its own
with combinations as (
    -- the distinct rows
    select
{% for name in columns %}
        {{ name | ident }},
{% endfor %}
        count(*) as {{ names.row_count | ident }}
    from sqlanon.source_rows
    group by
{% for name in columns %}
        {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
)
select
    cast(row_number() over () as integer) as {{ names.combination | ident }},
{% for name in columns %}
    {{ name | ident }},
{% endfor %}
    {{ names.row_count | ident }},
    {{ keyed.keyed_hash("row", columns) | indent(4) }} as {{ names.digest | ident }}
from combinations
