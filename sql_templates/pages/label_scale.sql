{#- inputs: attribute str, column str -#}
-- label_scale: whether the labels of {{ attribute | comment }} can be read as ranges
-- reads:   published_combinations
-- returns: one row
--   label_count   different labels      [labels]
--   range_rows    rows whose label is a range or a single value of a scale   [rows]
--   all_rows      rows with a label     [rows]
--   is_number     whether the scale is of numbers, and not of years
--   low, high     ends of the scale: numbers, or years; null without a range
with {% include "pages/_label_ranges.sql" %}

select
    count(*) as label_count,
    cast(coalesce(sum(row_count) filter (where low <= high), 0) as bigint) as range_rows,
    cast(coalesce(sum(row_count), 0) as bigint) as all_rows,
    coalesce(bool_and(is_number), false) as is_number,
    min(low) filter (where low <= high) as low,
    max(high) filter (where low <= high) as high
from label_ranges
