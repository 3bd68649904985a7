{#- inputs: title str, rows str, placed str, published str, extents str, drawn str, static list[int] -#}
-- {{ title }}: the rows of pseudonyms that can be a known row, if all rows of the pseudonym fit what never changes for the person
-- reads:   {{ rows }}, {{ placed }}, {{ published }}, {{ extents }}, {{ drawn }}
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
from sqlanon.{{ placed }} as placed
inner join sqlanon.{{ drawn }} as drawn on drawn.person = placed.person
inner join sqlanon.{{ rows }} as rows
    on rows.person = placed.person
    and rows.known_number = placed.known_number
inner join sqlanon.{{ published }} as published on published.class = placed.class
inner join sqlanon.{{ extents }} as extents
    on extents.pseudonym = published.pseudonym
{% for number in static %}
    and rows.at_{{ number }} between extents.first_{{ number }} and extents.last_{{ number }}
{% endfor %}
