{#- inputs: attribute str, values str, strata list[Stratum], k int, names dict[str, str], keys list[str] -#}
{% import "partition/_lists.sql" as lists %}
{% macro labels() %}{% for stratum in strata %}{{ stratum.named("label") | ident }}{{ ", " if not loop.last }}{% endfor %}{% endmacro %}
-- dealt_rows: every row dealt to a bucket, so that for each value of {{ attribute | comment }}
--   all buckets have nearly the same number of rows
-- source:  Stack and Deal: values are stacked by frequency and dealt in cyclic order
-- reads:   keyed_rows, row_combinations, {{ values }}{% for stratum in strata %}, {{ stratum.hierarchy }}{% endfor %}

-- returns: one row per source row: its combination and its keys
--   bucket   number of the bucket, from 1; there are floor(rows / {{ k }}) buckets{{ " per stratum" if strata }},
--            each of at least {{ k }} rows
-- order:   the rows of a value are dealt in an order that depends on the seed alone
with valued_combinations as (
    -- one row per distinct row: its value{{ ", and the labels by which strata differ" if strata }}
{% if strata %}
    -- strata: {% for stratum in strata %}{{ stratum.name | comment }} at level {{ stratum.level }}{{ ", " if not loop.last }}{% endfor %};
    -- rows of different strata are not dealt together
{% endif %}
    select
        {{ lists.column(names.combination, "combination", "row_combinations") }},
        {{ lists.column(names.row_count, "row_count", "row_combinations") }},
{% for stratum in strata %}
        {{ stratum.named("stratum") | ident }}.level_{{ stratum.level }} as {{ stratum.named("label") | ident }},
{% endfor %}
        table_values.value
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
sized_strata as (
    -- one row per stratum: its rows, and its number among the large and among the small ones
    select
        {{ labels() }},
        sum(row_count) as stratum_size,
        row_number() over (
            partition by sum(row_count) >= {{ k }}
            order by sum(row_count), {{ labels() }}
        ) as place,
        sum(
            case when sum(row_count) < {{ k }} then sum(row_count) else 0 end
        ) over () as small_rows
    from valued_combinations
    group by {{ labels() }}
),
numbered_strata as (
    -- the same rows, with the number of the stratum: those of fewer than {{ k }} rows are merged into
    -- stratum 0; if that has fewer than {{ k }} rows, the smallest other stratum is merged into it, too
    select
        *,
        case
            when stratum_size < {{ k }} or (place = 1 and small_rows between 1 and {{ k - 1 }})
                then 0
            else place
        end as stratum
    from sized_strata
),
stacked_combinations as (
    -- one row per distinct row: its stratum
    select
        valued_combinations.combination,
        valued_combinations.row_count,
        valued_combinations.value,
        numbered_strata.stratum
    from valued_combinations
    left join numbered_strata
{% for stratum in strata %}
        {{ "on" if loop.first else "and" }} numbered_strata.{{ stratum.named("label") | ident }}
            is not distinct from valued_combinations.{{ stratum.named("label") | ident }}
{% endfor %}
),
{% endif %}
{% set combinations = "stacked_combinations" if strata else "valued_combinations" %}
stack as (
    -- one row per value{{ " and stratum" if strata }}, the most frequent first: the rows before it on the stack
    select
        {{ "stratum,\n        " if strata }}value,
        sum(sum(row_count)) over (
            {{ "partition by stratum\n            " if strata }}order by sum(row_count) desc, value
        ) - sum(row_count) as rows_before
    from {{ combinations }}
    group by {{ "stratum, " if strata }}value
),
deals as (
    -- one row{{ " per stratum" if strata }}: the number of buckets
    select
{% if strata %}
        stratum,
        sum(sum(row_count) // {{ k }}) over (order by stratum)
            - sum(row_count) // {{ k }} as buckets_before,
{% endif %}
        sum(row_count) // {{ k }} as bucket_count
    from {{ combinations }}
{% if strata %}
    group by stratum
{% endif %}
),
places as (
    -- one row per distinct row: where the rows of its value begin on the stack, and how many
    -- buckets there are
    select
        {{ combinations }}.combination,
        {{ combinations }}.value,
        cast(stack.rows_before as bigint) as rows_before,
{% if strata %}
        {{ combinations }}.stratum,
        cast(deals.buckets_before as bigint) as buckets_before,
{% endif %}
        cast(deals.bucket_count as bigint) as bucket_count
    from {{ combinations }}
    inner join stack
        on stack.value = {{ combinations }}.value
{% if strata %}
        and stack.stratum = {{ combinations }}.stratum
    inner join deals on deals.stratum = {{ combinations }}.stratum
{% else %}
    cross join deals
{% endif %}
),
stacked_rows as (
    -- one row per source row: its place on the stack
    select
        keyed_rows.*,
        {{ "places.buckets_before,\n        " if strata }}places.bucket_count,
        places.rows_before + row_number() over (
            partition by {{ "places.stratum, " if strata }}places.value
            order by keyed_rows.{{ keys[0] }}
        ) as place
    from sqlanon.keyed_rows
    inner join places on places.combination = keyed_rows.combination
)
select
    combination,
{% for key in keys[1:] %}
    {{ key }},
{% endfor %}
    cast({{ "buckets_before + " if strata }}(place - 1) % bucket_count + 1 as integer) as bucket
from stacked_rows
