{#- inputs: columns list[tuple[str, str]] name alias -#}
-- range_widths: how wide the published ranges of columns are
-- reads:   published_combinations
-- returns: one row per column whose labels can be read as ranges, not all of one width
--   is_number   whether the width is of numbers, and not of years
--   width       half of the rows have a range that is no wider   [numbers, or years]
-- nulls:   a missing value has no range
{% for name, column in columns %}
select {{ name | text }} as attribute, is_number, width
from (
    with {% include "pages/_label_ranges.sql" %},
    widths as (
        -- a range without an end is wider than all others
        select
            is_number,
            row_count,
            case
                when regexp_matches(label, '(^|[\[(, ])[*]($|[\]), ])') then cast('infinity' as double)
                else high - low
            end as width
        from label_ranges
    ),
    wide_rows as (
        select
            *,
            sum(row_count) over (order by width) as narrower_rows,
            sum(row_count) over () as all_rows
        from widths
    )
    select bool_and(is_number) as is_number, min(width) filter (2 * narrower_rows >= all_rows) as width
    from wide_rows
    having count(width) = count(*) and min(width) < max(width) and min(width) >= 0
) as median_{{ loop.index }}
where isfinite(width)
{{ "union all" if not loop.last }}
{% endfor %}
