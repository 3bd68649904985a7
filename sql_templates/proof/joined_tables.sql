{#- inputs: rows str, counts str, columns list[str], attribute str, count str, row_number str, value_count str, last_row str -#}
{% import "_keys.sql" as keys %}
-- joined_tables: the two tables of a publication as one, for its proofs: every row with a value of
--   its bucket; the publication does not disclose which row has which value
-- returns: one row per row of the first table
with numbered_rows as (
    select *, row_number() over (partition by bucket order by bucket) as {{ row_number | ident }}
    from {{ rows }}
),
counted_values as (
    select
        bucket,
        {{ attribute | ident }},
        cast({{ count | ident }} as bigint) as {{ value_count | ident }},
        sum(cast({{ count | ident }} as bigint)) over (
            partition by bucket order by {{ attribute | ident }}
        ) as {{ last_row | ident }}
    from {{ counts }}
)
select {{ keys.list("numbered_rows", columns) }}, counted_values.{{ attribute | ident }}
from numbered_rows
inner join counted_values
    on counted_values.bucket = numbered_rows.bucket
    and numbered_rows.{{ row_number | ident }}
        > counted_values.{{ last_row | ident }} - counted_values.{{ value_count | ident }}
    and numbered_rows.{{ row_number | ident }} <= counted_values.{{ last_row | ident }}
