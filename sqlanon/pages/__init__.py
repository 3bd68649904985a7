"""Pages: one HTML file each, which needs no network, and no script to be read.

A page is a template in `sqlanon/pages/templates/` that fills the blocks of `_page.html`: `kicker`,
a line above the title; `verdict`, below it; `contents`, links to the sections; and `content`.
Python gives it plain values, tables and figures; every figure has a table with the same numbers.
Text is escaped; a variable that is not given is an error.
"""
