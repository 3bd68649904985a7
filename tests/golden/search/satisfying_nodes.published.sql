-- satisfying_nodes: nodes that suppress at most 0.05 of the rows and publish something
--   and whose published classes keep the promises relative to the published rows
-- reads:   lattice_nodes, scored_nodes
-- returns: one row per satisfying node; the program stops if there is none
select lattice_nodes.*
from sqlanon.lattice_nodes
inner join sqlanon.scored_nodes on scored_nodes.node = lattice_nodes.node
where scored_nodes.suppressed_rows
        <= (select floor(0.05 * sum(row_count)) from sqlanon.frequency_set)
    and scored_nodes.published_rows > 0
    and scored_nodes.failing_published_classes = 0
order by lattice_nodes.node
