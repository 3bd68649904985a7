{#- inputs: attribute str, column str, width number, bins list[number] -#}
-- read_ranges: rows by equal parts of the scale of {{ attribute | comment }}, as a reader of its labels
--   reconstructs them: those of each label spread evenly over its range
-- reads:   published_combinations
-- returns: one row per part that a label covers
--   low              the part begins here, and is {{ width | number }} long
--   published_rows   rows that are read as it, not a whole number   [rows]
with {% include "pages/_label_ranges.sql" %},
bins (low) as (
    values
{% for low in bins %}
        (cast({{ low | number }} as double)){{ "," if not loop.last }}
{% endfor %}
)
select
    bins.low,
    sum(
        label_ranges.row_count * case
            when label_ranges.high = label_ranges.low then 1
            else (
                least(label_ranges.high, bins.low + {{ width | number }})
                - greatest(label_ranges.low, bins.low)
            ) / (label_ranges.high - label_ranges.low)
        end
        order by label_ranges.label
    ) as published_rows
from bins
inner join label_ranges
    on label_ranges.low < bins.low + {{ width | number }}
    and (label_ranges.high > bins.low or label_ranges.low >= bins.low)
    and label_ranges.high >= label_ranges.low
group by bins.low
order by bins.low
