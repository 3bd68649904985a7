-- entropy: bits of the original values lost by generalization (non-uniform entropy, Gionis and
--   Tassa 2009)
-- reads:   decided_classes, class_covers, generalized_values
-- returns: one row
--   cost   sum over cells of -log2(rows of the value / rows of its label)   [bits]
--          a suppressed cell has the label of all values
{% with values = "generalized_values", order = "attribute, code", condition = "level = 0 and row_count > 0" %}{% include "utility/_label_entropy.sql" %}{% endwith %}
