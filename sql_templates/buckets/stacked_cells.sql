{#- inputs: column CountedColumn, k int -#}
-- class_cells: the contents of the buckets. A bucket has those of the one before it, unless the
--   rows of a value begin or the stack ends there: one kind more than values at most
-- reads:   {{ column.named("table_values") }}
-- returns: one row per kind of buckets and value
--   class          number of the first bucket of the kind
--   bucket_count   buckets of the kind, whose numbers follow each other
--   row_count      rows of each with this value   [rows]
with stack as (
    -- one row per value, the most frequent first: where its rows end; and one for where all begin
    select
        value,
        cast(sum(row_count) over (order by row_count desc, value) as bigint) as place,
        table_size // {{ k }} as bucket_count
    from sqlanon.{{ column.named("table_values") }}
    union all
    select null, 0, max(table_size) // {{ k }}
    from sqlanon.{{ column.named("table_values") }}
),
kinds as (
    -- one row per kind: its number from 0, the buckets before it, and its own
    select
        row_number() over (order by buckets_before) - 1 as kind,
        count(*) over () as kind_count,
        buckets_before,
        coalesce(lead(buckets_before) over (order by buckets_before), bucket_count)
            - buckets_before as bucket_count
    from (select distinct place % bucket_count as buckets_before, bucket_count from stack) as begun
),
{% set passed = "stack.place // stack.bucket_count * kinds.kind_count + kinds.kind" %}
runs as (
    -- the rows of the stack: kinds that dealing has passed, turn after turn, up to their place, and
    -- up to the place before
    select
        stack.value,
        kinds.kind_count,
        {{ passed }} as passed,
        lag(
            {{ passed }}
        ) over (order by stack.place) as passed_before
    from stack
    inner join kinds on kinds.buckets_before = stack.place % stack.bucket_count
),
spread_values as (
    -- one row per value and kind that has it
    select *, unnest(range(least(passed - passed_before, kind_count))) as number
    from runs
    where value is not null
)
select
    kinds.buckets_before + 1 as class,
    kinds.bucket_count,
    spread_values.value as {{ column.named("value") }},
    (spread_values.passed - spread_values.passed_before - spread_values.number - 1)
        // kinds.kind_count + 1 as row_count
from spread_values
inner join kinds
    on kinds.kind = (spread_values.passed_before + spread_values.number) % spread_values.kind_count
