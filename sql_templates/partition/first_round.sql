{#- inputs: attributes list, carried list[str], unit bool, population bool, relaxed bool, no_end int -#}
-- regions_of_round_0: the whole table as one region
-- reads:   cells
-- returns: one row per cell
--   region       number of the region within its round; parent: number of the region that was cut
--   attribute_number, first_place, last_place   the cut: its attribute, and the places on this side
{% include "partition/_first_region.sql" %}
