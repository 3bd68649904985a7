{#- inputs: attributes list[CutAttribute], carried list[str], unit bool, population bool, relaxed bool -#}
{% set regions = "sqlanon.regions" %}
-- class_cells: the cells of the classes, which are the regions that are not cut again
-- reads:   regions
-- returns: one row per class and cell
--   class   number of the class, from 1
{% include "partition/_class_cells.sql" %}
