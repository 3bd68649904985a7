{#- inputs: -#}
-- entropy: bits of the original values lost by generalization (non-uniform entropy, Gionis and
--   Tassa 2009)
-- reads:   decided_classes, class_covers, value_places
-- returns: one row
--   cost   sum over cells of -log2(rows of the value / rows of its label)   [bits]
{% with values = "value_places", order = "attribute_number, place", condition = "row_count > 0" %}{% include "utility/_label_entropy.sql" %}{% endwith %}
