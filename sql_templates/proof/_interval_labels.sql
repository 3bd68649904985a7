{#- CTEs: labels of attributes that are cut as ranges, in `published_labels`, as intervals of places; `interval_ranges` -#}
{% import "proof/_labels.sql" as labels %}
interval_texts as (
    select
        published_labels.attribute_number,
        published_labels.label,
        kinds.kind,
        kinds.place_count,
        {{ labels.without_null("label") }} as interval_text,
        label like '% or NULL' as holds_null
    from published_labels
    inner join (
        select attribute_number, kind, place_count
        from sqlanon.value_places
        group by attribute_number, kind, place_count
    ) as kinds
        on kinds.attribute_number = published_labels.attribute_number
    where kinds.kind not in ('nominal', 'categorical')
),
value_ends as (
    -- what an interval may begin or end with: a value, or '*', the least or the greatest one
    select attribute_number, value, place as lowest_place, place as highest_place
    from sqlanon.value_places
    union all
    select attribute_number, '*', min(place), max(place)
    from sqlanon.value_places
    where value is not null
    group by attribute_number
),
value_sizes as (
    select distinct attribute_number, length(value) as size
    from value_ends
),
interval_ends as (
    -- one value, or [lowest, highest], split at every position where a value could end; in place
    -- of [ and ], ( and ) leave out the value itself
    select
        attribute_number,
        label,
        holds_null,
        interval_text as lowest,
        interval_text as highest,
        0 as after_lowest,
        0 as before_highest
    from interval_texts
    union all
    select
        interval_texts.attribute_number,
        interval_texts.label,
        interval_texts.holds_null,
        {{ labels.first_end("interval_texts.interval_text", "value_sizes.size") }},
        {{ labels.second_end("interval_texts.interval_text", "value_sizes.size + 4") }},
        case when interval_texts.interval_text like '(%' then 1 else 0 end,
        case when interval_texts.interval_text like '%)' then 1 else 0 end
    from interval_texts
    inner join value_sizes
        on value_sizes.attribute_number = interval_texts.attribute_number
        and {{ labels.splits_after("interval_texts.interval_text", "value_sizes.size") }}
    where (interval_texts.interval_text like '[%' or interval_texts.interval_text like '(%')
        and (interval_texts.interval_text like '%]' or interval_texts.interval_text like '%)')
        and (interval_texts.kind = 'ordinal' or interval_texts.interval_text like '[%]')
),
line_ends as (
    -- [line, next line): numbers, or months and years of dates
    select
        attribute_number,
        label,
        holds_null,
        place_count,
        case
            when kind = 'numeric' then try_cast(opening as double)
            else epoch(try_cast(substr(opening || '-01-01', 1, 10) as timestamp)) / 86400
        end as opening,
        case
            when kind = 'numeric' then try_cast(closing as double)
            else epoch(try_cast(substr(closing || '-01-01', 1, 10) as timestamp)) / 86400
        end as closing
    from (
        select
            attribute_number,
            label,
            holds_null,
            kind,
            place_count,
            {{ labels.first_end("interval_text", "strpos(interval_text, ', ') - 2") }} as opening,
            {{ labels.second_end("interval_text", "strpos(interval_text, ', ') + 2") }} as closing
        from interval_texts
        where kind in ('numeric', 'date') and interval_text like '[%, %)'
    ) as line_texts
),
located_lines as (
    -- one row per attribute and value or line: the first place of a value at or above it
    select
        attribute_number,
        position,
        is_line,
        min(place) over (
            partition by attribute_number order by position desc, is_line
            rows between unbounded preceding and current row
        ) as next_place
    from (
        select attribute_number, position, place, 0 as is_line
        from sqlanon.value_places
        where position is not null
        union
        select attribute_number, opening, null, 1
        from line_ends
        where opening is not null
        union
        select attribute_number, closing, null, 1
        from line_ends
        where closing is not null
    ) as values_and_lines
),
lowest_ends as materialized (
    -- so that no engine joins lowest with highest values before they meet a label
    select interval_ends.*, lowest.lowest_place
    from interval_ends
    inner join value_ends as lowest
        on lowest.attribute_number = interval_ends.attribute_number
        and lowest.value is not distinct from interval_ends.lowest
),
interval_readings as (
    -- every reading of a label; form: range, if its ends need be nobody's values
    select
        lowest_ends.attribute_number,
        lowest_ends.label,
        lowest_ends.holds_null,
        case
            when after_lowest + before_highest > 0 or '*' in (lowest_ends.lowest, highest.value)
                then 'range'
            else 'interval'
        end as form,
        lowest_ends.lowest_place + after_lowest as first_place,
        highest.highest_place - before_highest as last_place
    from lowest_ends
    inner join value_ends as highest
        on highest.attribute_number = lowest_ends.attribute_number
        and highest.value is not distinct from lowest_ends.highest
    union all
    select
        line_ends.attribute_number,
        line_ends.label,
        line_ends.holds_null,
        'range',
        openings.next_place,
        coalesce(closings.next_place, line_ends.place_count) - 1
    from line_ends
    inner join located_lines as openings
        on openings.attribute_number = line_ends.attribute_number
        and openings.position = line_ends.opening
        and openings.is_line = 1
    inner join located_lines as closings
        on closings.attribute_number = line_ends.attribute_number
        and closings.position = line_ends.closing
        and closings.is_line = 1
),
interval_ranges as (
    -- of several possible readings, the widest
    select
        attribute_number,
        label,
        max(form) as form,
        min(case when holds_null then 0 else first_place end) as first_place,
        max(last_place) as last_place
    from interval_readings
    group by attribute_number, label
)
