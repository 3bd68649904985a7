{#- CTE `label_ranges`: labels of `column` that are ranges or single values, on the scale of numbers, or of years -#}
label_texts as (
    -- one row per label: its rows, and the texts of its ends
    select
        cast({{ column | ident }} as varchar) as label,
        regexp_extract(cast({{ column | ident }} as varchar), '^[\[(]?([^,\[\]() ]+)', 1) as low_text,
        regexp_extract(cast({{ column | ident }} as varchar), '([^,\[\]() ]+)[\])]?( or NULL)?$', 1) as high_text,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.published_combinations
    where {{ column | ident }} is not null
    group by {{ column | ident }}
),
label_ends as (
    select
        label,
        row_count,
        try_cast(low_text as double) as low_number,
        try_cast(high_text as double) as high_number,
        coalesce(
            try_cast(low_text as timestamp), try_cast(low_text || '-01' as timestamp)
        ) as low_time,
        coalesce(
            try_cast(high_text as timestamp), try_cast(high_text || '-01' as timestamp)
        ) as high_time
    from label_texts
),
scales as (
    -- one row: whether the ends are numbers; a code such as 02139 is none
    select
        coalesce(bool_and(low_number is not null or low_time is null), false)
            and not exists (
                select 1
                from label_texts
                where regexp_matches(low_text, '^0[0-9]')
            ) as is_number
    from label_ends
),
label_ranges as (
    select
        label_ends.label,
        label_ends.row_count,
        scales.is_number,
        case
            when scales.is_number then label_ends.low_number
            else 1970 + epoch(label_ends.low_time) / 86400 / 365.2425
        end as low,
        case
            when scales.is_number then label_ends.high_number
            else 1970 + epoch(label_ends.high_time) / 86400 / 365.2425
        end as high
    from label_ends
    cross join scales
)
