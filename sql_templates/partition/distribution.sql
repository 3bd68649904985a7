{#- inputs: -#}
-- distribution: distance of each column's values from what a reader of the labels
--   reconstructs, as weighted mean over attributes
-- reads:   reconstructed_values
-- returns: one row
--   cost   total variation, 0 (the same shares) to 1; null if nothing is published
select sum(weight * distance order by attribute_number) / sum(weight) as cost
from (
{% filter indent(4, first=true) %}{% include "release/_column_distances.sql" %}{% endfilter %}

) as column_distances
