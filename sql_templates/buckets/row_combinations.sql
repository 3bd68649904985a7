{#- inputs: columns list[str], names dict[str, str] -#}
-- row_combinations: the distinct rows, so that what is dealt and permuted are numbers, and values come back
--   when rows are published
-- reads:   source_rows; the variable sqlanon_permutation_seed, which stands in no file
-- returns: one row per distinct row
--   {{ names.combination }}   its number, in no order
--   {{ names.row_count }}   source rows like it   [rows]
--   {{ names.digest }}   keyed hash of its values, each with its length, so that no two have the same text
-- nulls:   a missing value is a value of its own
with combinations as (
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
    row_number() over () as {{ names.combination | ident }},
{% for name in columns %}
    {{ name | ident }},
{% endfor %}
    {{ names.row_count | ident }},
    sha256(concat(
        getvariable('sqlanon_permutation_seed'){% for name in columns %},
        '|', length(cast({{ name | ident }} as varchar)), ':', cast({{ name | ident }} as varchar){% endfor %}

    )) as {{ names.digest | ident }}
from combinations
