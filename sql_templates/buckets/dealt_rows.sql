{#- inputs: attribute str, values str, strata list[Stratum], k int, names dict[str, str], keys list[str] -#}
{% import "partition/_lists.sql" as lists %}
{% set counted = "labeled_combinations" %}{% set least = k %}
{% set labels %}{% for stratum in strata %}{{ stratum.named("label") | ident }}{{ ", " if not loop.last }}{% endfor %}{% endset %}
-- dealt_rows: every row dealt to a bucket, so that for each value of {{ attribute | comment }}
--   all buckets have nearly the same number of rows
-- source:  Stack and Deal: values are stacked by frequency and dealt in cyclic order
-- reads:   keyed_rows, row_combinations, {{ values }}{% for stratum in strata %}, {{ stratum.hierarchy }}{% endfor %}

-- returns: one row per source row: its combination and its keys
--   bucket   number of the bucket, from 1; there are floor(rows / {{ k }}) buckets{{ " per stratum" if strata }},
--            each of at least {{ k }} rows
-- order:   the rows of a value are dealt in an order that depends on the seed alone
with {{ "labeled" if strata else "stacked" }}_combinations as (
    -- one row per distinct row: its value{{ ", and the labels by which strata differ" if strata }}
{% for stratum in strata %}
    -- {{ "strata: " if loop.first }}{{ stratum.name | comment }} at level {{ stratum.level }}{{ "; rows of different strata are not dealt together" if loop.last }}
{% endfor %}
    select
        {{ lists.column(names.combination, "combination", "row_combinations") }},
        {{ lists.column(names.row_count, "row_count", "row_combinations") }},
{% for stratum in strata %}
        {{ stratum.named("stratum") | ident }}.level_{{ stratum.level }} as {{ stratum.named("label") | ident }},
{% endfor %}
        {{ "0 as stratum,\n        " if not strata }}table_values.value
    from sqlanon.row_combinations
    left join sqlanon.{{ values }} as table_values
        on table_values.text
            is not distinct from cast(row_combinations.{{ attribute | ident }} as varchar)
{% for stratum in strata %}
    left join sqlanon.{{ stratum.hierarchy | ident }} as {{ stratum.named("stratum") | ident }}
        on {{ stratum.named("stratum") | ident }}.level_0
            is not distinct from cast(row_combinations.{{ stratum.name | ident }} as varchar)
{% endfor %}
),
{% if strata %}
{% include "_strata.sql" %}
stacked_combinations as (
    -- one row per distinct row: its stratum
    select
        labeled_combinations.combination,
        labeled_combinations.row_count,
        labeled_combinations.value,
        strata.stratum
    from labeled_combinations
    left join strata
{% for stratum in strata %}
        {{ "on" if loop.first else "and" }} strata.{{ stratum.named("label") | ident }}
            is not distinct from labeled_combinations.{{ stratum.named("label") | ident }}
{% endfor %}
),
{% endif %}
piles as (
    -- one row per value{{ " of a stratum" if strata }}: rows before its own, the most frequent value first
    select
        stratum,
        value,
        cast(row_number() over (order by stratum, value) as integer) as pile,
        cast(sum(sum(row_count)) over (
            partition by stratum order by sum(row_count) desc, value
        ) - sum(row_count) as bigint) as rows_before,
        cast(sum(sum(row_count)) over (partition by stratum) as bigint) // {{ k }} as bucket_count
    from stacked_combinations
    group by stratum, value
),
stack as (
    -- the same rows: buckets of the strata before
    select
        *,
        cast(sum(case when rows_before = 0 then bucket_count else 0 end) over (
            order by stratum
        ) as bigint) - bucket_count as buckets_before
    from piles
),
piled_combinations as (
    -- one row per distinct row: its pile
    select combinations.combination, stack.pile
    from stacked_combinations as combinations
    inner join stack
        on stack.value = combinations.value
        and stack.stratum = combinations.stratum
),
piled_rows as (
    -- one row per source row: its number in its pile
    select
        keyed_rows.*,
        piled_combinations.pile,
        row_number() over (
            partition by piled_combinations.pile
            order by keyed_rows.{{ keys[0] }}
        ) as number
    from sqlanon.keyed_rows
    inner join piled_combinations on piled_combinations.combination = keyed_rows.combination
)
select
    piled_rows.combination,
{% for key in keys[1:] %}
    piled_rows.{{ key }},
{% endfor %}
    cast(
        stack.buckets_before + (stack.rows_before + piled_rows.number - 1) % stack.bucket_count + 1
        as integer
    ) as bucket
from piled_rows
inner join stack on stack.pile = piled_rows.pile
