{#- inputs: columns list[str], keys list[str], names dict[str, str] -#}
{% set digest = names.digest | ident %}
{% set number = names.number | ident %}
{% set row_count = names.row_count | ident %}
-- keyed_rows: every row, and keys that only the seed tells: orders of rows, independent of each other
-- reads:   source_rows; the variable sqlanon_permutation_seed, which stands in no file
-- returns: one row per source row; in an order that the source has no part in
--   {{ keys | join(", ") }}   60 bits of a keyed hash of all values, and of a number that tells equal rows apart
-- nulls:   a missing value is a value of its own
with combinations as (
    select
{% for name in columns %}
        {{ name | ident }},
{% endfor %}
        count(*) as {{ row_count }}
    from sqlanon.source_rows
    group by
{% for name in columns %}
        {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
),
hashed_combinations as (
    -- every value stands with its length, so that no two combinations have the same text
    select
{% for name in columns %}
        {{ name | ident }},
{% endfor %}
        {{ row_count }},
        sha256(concat(
            getvariable('sqlanon_permutation_seed'){% for name in columns %},
            '|', length(cast({{ name | ident }} as varchar)), ':', cast({{ name | ident }} as varchar){% endfor %}

        )) as {{ digest }}
    from combinations
),
numbered_rows as (
    -- equal rows would stay together in every order
    select
{% for name in columns %}
        {{ name | ident }},
{% endfor %}
        {{ digest }},
        unnest(range({{ row_count }})) as {{ number }}
    from hashed_combinations
),
hashed_rows as (
    select
{% for name in columns %}
        {{ name | ident }},
{% endfor %}
{% for part in range(0, keys | length, 4) %}
        sha256(concat({{ digest }}, '|{{ loop.index }}|', {{ number }})) as {{ (names.digest ~ "_" ~ loop.index) | ident }}{{ "," if not loop.last }}
{% endfor %}
    from numbered_rows
)
select
{% for name in columns %}
    {{ name | ident }},
{% endfor %}
{% for key in keys %}
    cast('0x' || substr({{ (names.digest ~ "_" ~ (loop.index0 // 4 + 1)) | ident }}, {{ loop.index0 % 4 * 15 + 1 }}, 15) as bigint) as {{ key | ident }}{{ "," if not loop.last }}
{% endfor %}
from hashed_rows
