{#- inputs: title str, lines list[tuple[str, str]], published list[PublishedColumn] -#}
{% import "_release_header.sql" as header %}
{{ header.lines(title, lines) -}}
select {% for column in published %}{{ column.constant or (column.alias | ident) }}{{ " as " ~ (column.name | ident) if column.constant or column.name != column.alias }}{{ ", " if not loop.last }}{% endfor %}

from sqlanon.ordered_rows
