"""Pages: one HTML file that needs no network, and no script to be read.

A page is a template in `sqlanon/pages/templates/` that fills the blocks of `_page.html`:

    {% extends "_page.html" %}
    {% import "_parts.html" as parts %}
    {% block content %}
    <section aria-labelledby="curves">
    <h2 id="curves">Risk and utility</h2>
    <div class="figures">{{ parts.figure(curve, table) }}</div>
    </section>
    {% endblock %}

Python gives it figures, tables and plain values, and writes the text to a file:

    curve = figure(spec, "Loss by k", "Loss rises from 0.2 at k = 2 to 0.5 at k = 100.")
    table = Table("Loss by k", (Column("k", "count"), Column("loss", "number")), rows)
    html = page_text("sweep.html", title="adult: a sweep over k", curve=curve, table=table)

`spec` is a Vega-Lite chart as a mapping, with its data inline (`sqlanon.pages.figures`); every
figure has a table with the same numbers. Text is escaped; a variable that is not given is an error.
The blocks are `kicker` (a line above the title), `verdict` (below it), `contents` (links to the
sections; empty for a short page) and `content`.
"""
