{#- inputs: title str, lines list[tuple[str, str]], rows str, columns list[str], persons str, place str, key str, order list[str] -#}
{% import "_release_header.sql" as header %}
{{ header.lines(title, lines) -}}
{% include "release/_without_persons.sql" %}
