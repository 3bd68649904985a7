{#- inputs: attributes list, carried list[int], unit bool, population bool, relaxed bool, no_end int -#}
-- regions_of_round_0: the whole table as one region
-- reads:   cells
-- returns: one row per cell
--   region       number of the region among those of its round; parent: of the one it is cut from
--   attribute_number, first_place, last_place   the cut: the places of which attribute it keeps
{% include "partition/_first_region.sql" %}
