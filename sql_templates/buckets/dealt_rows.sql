{#- inputs: attribute str, number int, strata list[Stratum], k int, names dict[str, str], keys list[str] -#}
{% macro labels() %}{% for name, hierarchy, level in strata %}label_{{ loop.index }}{{ ", " if not loop.last }}{% endfor %}{% endmacro %}
-- dealt_rows: every row dealt to a bucket, so that all buckets have nearly the same number of rows with
--   each value of {{ attribute | comment }}
-- source:  Stack and Deal: values stacked by frequency, dealt in a cycle
-- reads:   keyed_rows, row_combinations, table_values_{{ number }}{% for name, hierarchy, level in strata %}, {{ hierarchy }}{% endfor %}

-- returns: one row per source row: its combination, its keys
--   bucket   number of the bucket, from 1; {{ k }} rows or more each, floor(rows / {{ k }}) buckets{{ " per stratum" if strata }}
-- order:   rows of one value are dealt in an order that only the seed knows
with valued_combinations as (
{% if strata %}
    -- strata: {% for name, hierarchy, level in strata %}{{ name | comment }} at level {{ level }}{{ ", " if not loop.last }}{% endfor %}; only rows that are equal there are dealt together
{% endif %}
    select
        combinations.{{ names.combination | ident }} as combination,
        combinations.{{ names.row_count | ident }} as row_count,
{% for name, hierarchy, level in strata %}
        stratum_of_{{ loop.index }}.level_{{ level }} as label_{{ loop.index }},
{% endfor %}
        table_values.value
    from sqlanon.row_combinations as combinations
    left join sqlanon.table_values_{{ number }} as table_values
        on table_values.text is not distinct from cast(combinations.{{ attribute | ident }} as varchar)
{% for name, hierarchy, level in strata %}
    left join sqlanon.{{ hierarchy | ident }} as stratum_of_{{ loop.index }}
        on stratum_of_{{ loop.index }}.level_0 is not distinct from cast(
            combinations.{{ name | ident }} as varchar
        )
{% endfor %}
),
{% if strata %}
sized_strata as (
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
    -- strata of fewer than {{ k }} rows become one, number 0; the smallest other one joins them where
    -- they are fewer than {{ k }} rows even so
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
    select
        valued_combinations.combination,
        valued_combinations.row_count,
        valued_combinations.value,
        numbered_strata.stratum
    from valued_combinations
    left join numbered_strata
{% for name, hierarchy, level in strata %}
        {{ "on" if loop.first else "and" }} numbered_strata.label_{{ loop.index }} is not distinct from valued_combinations.label_{{ loop.index }}
{% endfor %}
),
{% endif %}
{% set combinations = "stacked_combinations" if strata else "valued_combinations" %}
stack as (
    -- the values, the most frequent first: how many rows lie on the stack before each
    select
        {{ "stratum,\n        " if strata }}value,
        sum(sum(row_count)) over (
            {{ "partition by stratum\n            " if strata }}order by sum(row_count) desc, value
        ) - sum(row_count) as rows_before
    from {{ combinations }}
    group by {{ "stratum, " if strata }}value
),
deals as (
    -- how many buckets there are to deal to
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
    -- where on the stack the rows of a combination can lie, and how many buckets there are for them
    select
        combinations.combination,
        combinations.value,
        cast(stack.rows_before as bigint) as rows_before,
{% if strata %}
        combinations.stratum,
        cast(deals.buckets_before as bigint) as buckets_before,
{% endif %}
        cast(deals.bucket_count as bigint) as bucket_count
    from {{ combinations }} as combinations
    inner join stack
        on stack.value = combinations.value
{% if strata %}
        and stack.stratum = combinations.stratum
    inner join deals on deals.stratum = combinations.stratum
{% else %}
    cross join deals
{% endif %}
),
stacked_rows as (
    select
        keyed_rows.*,
        {{ "places.buckets_before,\n        " if strata }}places.bucket_count,
        places.rows_before + row_number() over (
            partition by {{ "places.stratum, " if strata }}places.value
            order by keyed_rows.{{ keys[0] }}
        ) as place
    from sqlanon.keyed_rows as keyed_rows
    inner join places on places.combination = keyed_rows.combination
)
select
    combination,
{% for key in keys[1:] %}
    {{ key }},
{% endfor %}
    cast({{ "buckets_before + " if strata }}(place - 1) % bucket_count + 1 as integer) as bucket
from stacked_rows
