{#- inputs: attribute str, values str, turns list[Turn], leftovers list[Leftover], names dict[str, str], keys list[str] -#}
{% import "partition/_lists.sql" as lists %}
-- dealt_rows: every row in a bucket of rows with different values of {{ attribute | comment }}
-- source:  Xiao and Tao 2006, Anatomy: while enough values have rows left, a bucket takes one row
--   of each of the most frequent values; the turns below were counted before
-- reads:   keyed_rows, row_combinations, {{ values }}
-- returns: one row per source row: its combination and its keys
--   bucket   number of the bucket, from 1
-- order:   the rows of a value are assigned in an order that depends on the seed alone
with turns (first_bucket, bucket_count, always, sharing, chosen, picks_before) as (
    -- one row per run of buckets that are filled in the same way: each takes the values of rank
    -- 1 to `always` and `chosen` values of the next `sharing` ranks, in cyclic order from the last
    -- rank, after `picks_before` earlier picks
    values
{% for turn in turns %}
        ({{ turn | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
),
{% if leftovers %}
leftovers (value_rank, bucket) as (
    -- the last rows, when too few values are left: each goes into a bucket without its value
    values
{% for leftover in leftovers %}
        ({{ leftover | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
),
{% endif %}
ranked_values as (
    -- one row per value of {{ attribute | comment }}: its rank, the most frequent first
    select
        value,
        row_number() over (order by row_count desc, place) as value_rank
    from sqlanon.{{ values }}
),
first_picks as (
    -- one row per turn and value that takes part: its first pick; the picks of a turn are
    -- numbered, and a value that shares takes every `sharing`th one
    select
        ranked_values.value_rank,
        turns.*,
        ranked_values.value_rank <= turns.always as is_always,
        turns.picks_before + (
            2 * turns.sharing
                + turns.always
                - ranked_values.value_rank
                - turns.picks_before % turns.sharing
        ) % turns.sharing as first_pick
    from ranked_values
    inner join turns on ranked_values.value_rank <= turns.always + turns.sharing
),
taken_rows as (
    -- the same rows: how many rows of the value the turn takes
    select
        *,
        case
            when is_always then bucket_count
            else greatest(
                0, (picks_before + bucket_count * chosen - first_pick + sharing - 1) // sharing
            )
        end as taken_count
    from first_picks
),
shares as (
    -- the same rows: which rows of the value these are
    select
        *,
        sum(taken_count) over (partition by value_rank order by first_bucket) as last_row,
        sum(taken_count) over (partition by value_rank order by first_bucket)
            - taken_count
            + 1 as first_row
    from taken_rows
),
{% if leftovers %}
value_totals as (
    -- one row per value: how many of its rows the turns take
    select value_rank, sum(taken_count) as row_count
    from taken_rows
    group by value_rank
),
left_rows as (
    -- one row per leftover: which row of its value it is
    select
        leftovers.value_rank,
        leftovers.bucket,
        coalesce(value_totals.row_count, 0) + row_number() over (
            partition by leftovers.value_rank order by leftovers.bucket
        ) as value_row
    from leftovers
    left join value_totals on value_totals.value_rank = leftovers.value_rank
),
{% endif %}
ranked_combinations as (
    -- one row per distinct row: the rank of its value
    select
        {{ lists.column(names.combination, "combination", "row_combinations") }},
        ranked_values.value_rank
    from sqlanon.row_combinations
    left join sqlanon.{{ values }} as table_values
        on table_values.text
            is not distinct from cast(row_combinations.{{ attribute | ident }} as varchar)
    left join ranked_values on ranked_values.value = table_values.value
),
numbered_rows as (
    -- one row per source row: its number among the rows of its value
    select
        keyed_rows.*,
        ranked_combinations.value_rank,
        row_number() over (
            partition by ranked_combinations.value_rank
            order by keyed_rows.{{ keys[0] }}
        ) as value_row
    from sqlanon.keyed_rows
    inner join ranked_combinations on ranked_combinations.combination = keyed_rows.combination
)
select
    numbered_rows.combination,
{% for key in keys[1:] %}
    numbered_rows.{{ key }},
{% endfor %}
    cast(case
{% if leftovers %}
        when left_rows.bucket is not null then left_rows.bucket
{% endif %}
        when shares.is_always
            then shares.first_bucket + numbered_rows.value_row - shares.first_row
        else shares.first_bucket + (
            shares.first_pick
                + (numbered_rows.value_row - shares.first_row) * shares.sharing
                - shares.picks_before
        ) // shares.chosen
    end as integer) as bucket
from numbered_rows
left join shares
    on shares.value_rank = numbered_rows.value_rank
    and numbered_rows.value_row between shares.first_row and shares.last_row
{% if leftovers %}
left join left_rows
    on left_rows.value_rank = numbered_rows.value_rank
    and left_rows.value_row = numbered_rows.value_row
{% endif %}
