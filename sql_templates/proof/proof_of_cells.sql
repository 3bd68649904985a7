{#- inputs: tests list[str] -#}
-- proof_of_cells: no published text is one that spreadsheets take for a formula
-- reads:   published_rows
-- returns: one row if a row has such a text
--   formula_rows   rows with such a text   [rows]
select count(*) as formula_rows
from sqlanon.published_rows
where
{% for test in tests %}
    {{ "or " if not loop.first }}({{ test }})
{% endfor %}
having count(*) > 0
