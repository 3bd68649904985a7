{#- inputs: -#}
-- column_distances: distance of each column's values from what a reader of the labels reconstructs
-- reads:   reconstructed_values
-- returns: one row per quasi-identifier
--   distance   total variation, 0 (the same shares) to 1
select attribute, distance
from (
{% filter indent(4, first=true) %}{% include "release/_column_distances.sql" %}{% endfilter %}

) as column_distances
order by attribute_number
