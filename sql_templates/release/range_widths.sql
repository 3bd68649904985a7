{#- inputs: columns list[tuple[str, str]] name alias -#}
-- range_widths: how wide the published ranges of columns are
-- reads:   published_combinations
-- returns: one row per column, whether the width is of numbers and not of years, and width
--   width       infinite of a range without an end   [numbers, or years]
--   row_count   published rows with such a range     [rows]
-- nulls:   a missing value has no range; the width of a label that cannot be read is null
{% for name, column in columns %}
select
    {{ name | text }} as attribute,
    is_number,
    case
        when regexp_matches(label, '(^|[\[(, ])[*]($|[\]), ])') then cast('infinity' as double)
        else high - low
    end as width,
    cast(sum(row_count) as bigint) as row_count
from (
    with {% include "pages/_label_ranges.sql" %}

    select label, row_count, is_number, low, high
    from label_ranges
) as label_ranges_{{ loop.index }}
group by is_number, width
{{ "union all" if not loop.last }}
{% endfor %}
order by attribute, width
