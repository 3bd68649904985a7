-- proof_of_cells: no published text is one that spreadsheets take for a formula
-- reads:   published_rows
-- returns: one row if a row has such a text
--   formula_rows   rows with such a text   [rows]
select count(*) as formula_rows
from sqlanon.published_rows
where
    (
        regexp_matches("it's", '^[=+@\t\r\n-]') and not regexp_full_match(
            "it's", '[+-]([.,]?[0-9][0-9.,]*([eE][+-]?[0-9]+)?|inf)'
        )
    )
    or (
        regexp_matches(sex, '^[=+@\t\r\n-]') and not regexp_full_match(
            sex, '[+-]([.,]?[0-9][0-9.,]*([eE][+-]?[0-9]+)?|inf)'
        )
    )
having count(*) > 0
