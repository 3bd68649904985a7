{#- inputs: alias str, columns list[tuple[str, str, str]] name action expression, plain bool, dropped list[str], required list[str], person str, below str, most_rows int | None -#}
{% import "source/_most_rows.sql" as limited %}
{% import "source/_drawn_rows.sql" as sample %}
-- source_rows: the columns that may leave the database, by name, and no other
-- reads:   source
-- returns: one row per source row{{ " of the sample" if below }}{{ " that has no missing value" if required }}{{ ", at most " ~ most_rows ~ " of a person" if most_rows }}
{% for name in dropped %}
-- not published: {{ name | comment }}, an identifier
{% endfor %}
{% set rows %}
{% if plain %}
select {% for name, action, expression in columns %}{{ expression }}{{ ", " if not loop.last }}{% endfor %}

{% else %}
select
{% include "source/_columns.sql" %}
{% endif %}
from sqlanon.source{% if alias %} as {{ alias | ident }}{% endif %}

{% for name in required %}
{{ "where" if loop.first else "    and" }} {{ name | ident }} is not null
{% endfor %}
{% endset %}
{% set names = columns | map(attribute=0) | list %}
{% set rows = sample.drawn(rows.rstrip(), names, person, below) if below else rows %}
{{ limited.chosen(rows.rstrip(), columns | map(attribute=0) | list, person, most_rows) if most_rows else rows }}
