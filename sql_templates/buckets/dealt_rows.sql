{#- inputs: columns list[str], attribute str, number int, strata list[Stratum], k int, names dict[str, str], keys list[str] -#}
{% set code = names.value_code | ident %}
{% set value_row = names.value_row | ident %}
{% set stratum = names.stratum | ident %}
{% macro label(number) %}{{ names["stratum_label_" ~ number] | ident }}{% endmacro %}
-- dealt_rows: every row dealt to a bucket, so that all buckets have nearly the same number of rows with
--   each value of {{ attribute | comment }}
-- source:  Stack and Deal: values stacked by frequency, dealt in a cycle
-- reads:   keyed_rows, table_values_{{ number }}{% for name, hierarchy, level in strata %}, {{ hierarchy }}{% endfor %}

-- returns: one row per source row
--   bucket   number of the bucket, from 1; {{ k }} rows or more each, floor(rows / {{ k }}) buckets{{ " per stratum" if strata }}
-- order:   rows of one value are dealt in an order that only the seed knows
with {% if strata %}stratified_rows as (
    -- rows by {% for name, hierarchy, level in strata %}{{ name | comment }} at level {{ level }}{{ ", " if not loop.last }}{% endfor %}: only rows that are equal there are dealt together
    select
        keyed_rows.*{% for name, hierarchy, level in strata %},
        stratum_of_{{ loop.index }}.level_{{ level }} as {{ label(loop.index) }}{% endfor %}

    from sqlanon.keyed_rows as keyed_rows
{% for name, hierarchy, level in strata %}
    left join sqlanon.{{ hierarchy | ident }} as stratum_of_{{ loop.index }}
        on stratum_of_{{ loop.index }}.level_0 is not distinct from cast(keyed_rows.{{ name | ident }} as varchar)
{% endfor %}
),
sized_strata as (
    select
{% for name, hierarchy, level in strata %}
        {{ label(loop.index) }},
{% endfor %}
        count(*) as stratum_size,
        row_number() over (
            partition by count(*) >= {{ k }}
            order by count(*){% for name, hierarchy, level in strata %}, {{ label(loop.index) }}{% endfor %}

        ) as place,
        sum(case when count(*) < {{ k }} then count(*) else 0 end) over () as small_rows
    from stratified_rows
    group by {% for name, hierarchy, level in strata %}{{ label(loop.index) }}{{ ", " if not loop.last }}{% endfor %}

),
numbered_strata as (
    -- strata of fewer than {{ k }} rows become one, number 0; the smallest other one joins them where
    -- they are fewer than {{ k }} rows even so
    select
        *,
        case
            when stratum_size < {{ k }} or (place = 1 and small_rows between 1 and {{ k - 1 }}) then 0
            else place
        end as {{ stratum }}
    from sized_strata
),
{% endif %}
valued_rows as (
    select
        rows.*,
        table_values.value as {{ code }}{{ "," if strata }}
{% if strata %}
        numbered_strata.{{ stratum }}
{% endif %}
    from {{ "stratified_rows" if strata else "sqlanon.keyed_rows" }} as rows
    left join sqlanon.table_values_{{ number }} as table_values
        on table_values.text is not distinct from cast(rows.{{ attribute | ident }} as varchar)
{% if strata %}
    left join numbered_strata
{% for name, hierarchy, level in strata %}
        {{ "on" if loop.first else "and" }} numbered_strata.{{ label(loop.index) }} is not distinct from rows.{{ label(loop.index) }}
{% endfor %}
{% endif %}
),
stack as (
    -- the values, the most frequent first: how many rows lie on the stack before each
    select
        {{ (stratum ~ ",\n        ") if strata }}{{ code }},
        sum(count(*)) over (
            {{ "partition by " ~ stratum ~ "\n            " if strata }}order by count(*) desc, {{ code }}
        ) - count(*) as rows_before
    from valued_rows
    group by {{ (stratum ~ ", ") if strata }}{{ code }}
),
deals as (
    -- how many buckets there are to deal to
    select
{% if strata %}
        {{ stratum }},
        sum(count(*) // {{ k }}) over (order by {{ stratum }}) - count(*) // {{ k }} as buckets_before,
{% endif %}
        count(*) // {{ k }} as bucket_count
    from valued_rows
{% if strata %}
    group by {{ stratum }}
{% endif %}
),
stacked_rows as (
    select
        *,
        row_number() over (
            partition by {{ (stratum ~ ", ") if strata }}{{ code }}
            order by {{ keys[0] | ident }}
        ) as {{ value_row }}
    from valued_rows
)
select
{% for name in columns %}
    stacked_rows.{{ name | ident }},
{% endfor %}
{% for key in keys[1:] %}
    stacked_rows.{{ key | ident }},
{% endfor %}
    cast({{ "deals.buckets_before + " if strata }}(stack.rows_before + stacked_rows.{{ value_row }} - 1) % deals.bucket_count + 1 as integer) as bucket
from stacked_rows
inner join stack
    on stack.{{ code }} = stacked_rows.{{ code }}
{% if strata %}
    and stack.{{ stratum }} = stacked_rows.{{ stratum }}
inner join deals on deals.{{ stratum }} = stacked_rows.{{ stratum }}
{% else %}
cross join deals
{% endif %}
