{# What templates of sqlanon call, and what databases have different names for. #}

{# A name in quotes. The package's own keys need none. #}
{% macro ident(name) -%}
{%- set mark = adapter.quote("")[:1] -%}
{{ name if name in ["class_number", "part_number"] else adapter.quote(name | replace(mark, mark ~ mark)) }}
{%- endmacro %}

{% macro text(value) -%}
{{ dbt.string_literal(dbt.escape_single_quotes(value | string)) }}
{%- endmacro %}

{# A number with all of its digits: an exponent would make it a floating-point number. #}
{% macro number(value) -%}
{%- set parts = (value | string | lower).split("e-") -%}
{%- if parts | length == 1 -%}
{{ parts[0] }}
{%- else -%}
0.{{ "0" * ((parts[1] | int) - 1) }}{{ parts[0] | replace(".", "") }}
{%- endif -%}
{%- endmacro %}

{% macro comment(value) -%}
{{ (value | string).split() | join(" ") }}
{%- endmacro %}

{% macro double() -%}
{{ adapter.dispatch("double", "sqlanon")() }}
{%- endmacro %}
{% macro default__double() -%}
double
{%- endmacro %}
{% macro postgres__double() -%}
double precision
{%- endmacro %}

{# The logarithm to base 2. #}
{% macro log2(value) -%}
{{ adapter.dispatch("log2", "sqlanon")(value) }}
{%- endmacro %}
{% macro default__log2(value) -%}
1.4426950408889634 * ln({{ value }})
{%- endmacro %}
{% macro duckdb__log2(value) -%}
log2({{ value }})
{%- endmacro %}

{# How keys of classes are compared. They are numbers and never null, and PostgreSQL can hash only
   what `=` compares: with the other operator, 60,000 classes take minutes instead of a second. #}
{% macro same_as() -%}
{{ adapter.dispatch("same_as", "sqlanon")() }}
{%- endmacro %}
{% macro default__same_as() -%}
is not distinct from
{%- endmacro %}
{% macro postgres__same_as() -%}
=
{%- endmacro %}

{# A text as a number; null if it is none. #}
{% macro as_number(column) -%}
{{ adapter.dispatch("as_number", "sqlanon")(column) }}
{%- endmacro %}
{% macro default__as_number(column) -%}
try_cast({{ column }} as {{ sqlanon.double() }})
{%- endmacro %}
{# The error of a cast quotes the value, so no text is cast that could be out of range: digits and
   exponent stay below 1e300, and letters of other scripts are no digits. #}
{% macro postgres__as_number(column) -%}
case
            when {{ column }} ~ '^[ \t\n\r\f\v]*[+-]?([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][+-]?0{0,9}(1?[0-9]?[0-9]|2[0-5][0-9]))?[ \t\n\r\f\v]*$'
                then cast({{ column }} as {{ sqlanon.double() }})
        end
{%- endmacro %}

{# A text by which values are ordered: by its characters, whatever the language of the database. #}
{% macro in_order(column) -%}
{{ adapter.dispatch("in_order", "sqlanon")(column) }}
{%- endmacro %}
{% macro default__in_order(column) -%}
{{ column }}
{%- endmacro %}
{% macro postgres__in_order(column) -%}
{{ column }} collate "C"
{%- endmacro %}
