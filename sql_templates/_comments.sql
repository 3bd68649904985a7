{# A comment that may be long, broken between words: `lead` opens the first line, `hang` the others.
   A model's text stands in other statements, indented, and so its lines end early. #}
{% macro wrapped(lead, hang="--   ", width=98) -%}
{%- set at = namespace(column=lead | length) -%}
{{ lead }}
{%- for word in caller().split() -%}
{%- if not loop.first -%}
{%- set at.column = at.column + 1 -%}
{%- if at.column + word | length > width -%}
{%- set at.column = hang | length -%}
{{ "\n" ~ hang }}
{%- else -%}
{{ " " }}
{%- endif -%}
{%- endif -%}
{%- set at.column = at.column + word | length -%}
{{ word }}
{%- endfor -%}
{{ "\n" }}
{%- endmacro %}
{# The same of words that an expression gives, without the end of the last line. #}
{% macro line(lead, words, hang="--   ") -%}
{%- set lines -%}
{%- call wrapped(lead ~ " ", hang) -%}{{ words }}{%- endcall -%}
{%- endset -%}
{{ lines | trim }}
{%- endmacro %}
{# The first lines of a model: its promise, and its source. #}
{% macro head(lead, promise, source) -%}
{%- call sqlanon.comments_wrapped(lead, width=86) -%}{{ sqlanon.comment(promise) }}{%- endcall -%}
-- source:  {{ sqlanon.comment(source) }}
{%- endmacro %}
{# What a model reads. #}
{% macro reads(words) -%}
{%- set lines -%}
{%- call sqlanon.comments_wrapped("-- reads:   ", width=86) -%}{{ words }}{%- endcall -%}
{%- endset -%}
{{ lines | trim }}
{%- endmacro %}
