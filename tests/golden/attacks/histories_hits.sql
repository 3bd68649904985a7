-- histories_hits: the rows of pseudonyms that can be a known row, if all rows of the pseudonym fit
--   what never changes for the person
-- reads:   histories_rows, histories_row_tree_rows, histories_published, histories_extents,
--   histories_drawn
-- returns: one row per known row, pseudonym and class
--   slots         rows of the pseudonym in the class   [rows]
--   row_count, row_total   rows of the person and of the pseudonym   [rows]
select
    placed.person,
    published.pseudonym,
    placed.known_number,
    placed.class,
    published.slots,
    placed.row_count,
    extents.row_total
from sqlanon.histories_row_tree_rows as placed
inner join sqlanon.histories_drawn as drawn on drawn.person = placed.person
inner join sqlanon.histories_rows as rows
    on rows.person = placed.person
    and rows.known_number = placed.known_number
inner join sqlanon.histories_published as published on published.class = placed.class
inner join sqlanon.histories_extents as extents
    on extents.pseudonym = published.pseudonym
    and rows.at_1 between extents.first_1 and extents.last_1
