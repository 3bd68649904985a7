{# The header of a release: what becomes of every column, what is not published, what is promised. #}
{% import "_comments.sql" as comments %}
{% macro lines(title, lines) -%}
{% set longest = lines | map(attribute=0) | map("length") | max %}
{% set width = [longest, 24] | min + 1 %}
{% call comments.wrapped("-- release: ") %}
{{ title | comment }}
{% endcall %}
{% for name, words in lines %}
{% set lead %}--   {{ name | comment }}{{ " " * ([width - name | length, 1] | max) }}{% endset %}
{% call comments.wrapped(lead, hang="--   " ~ " " * width, width=100) %}
{{ words | comment }}
{% endcall %}
{% endfor %}
{%- endmacro %}
{# The header of `placed_rows`, which a release with other values in place of some reads. #}
{% macro placed_rows() -%}
-- placed_rows: the rows of published classes with their values as they are read; not published
-- returns: one row per published row
--   place   of its class in the order of labels
{% endmacro %}
{# The header of `person_rows`, which a release without keys of persons reads. #}
{% macro person_rows(place, key, reads) -%}
-- person_rows: the rows that are published, each with its person; not itself published
{% if reads %}
-- reads:   {{ reads }}
{% endif %}
-- returns: one row per published row
--   {{ (place ~ " ") | comment }}  place of its class in the order of labels
--   {{ (key ~ " ") | comment }}  the person, whom promises count; not in the release
{% endmacro %}
