{#- how the texts of a column are read -#}
{# A text as a date, a point in time or a number.
   text: of the column, trimmed; missing: the codes of a missing value; pattern: what a text must
   match; date: the format, or empty; first_year: of those that two digits can mean, or none; type:
   of the values; decimal, unit: the decimal point of numbers, and their unit; wrong: what stops
   the statement where a text does not fit; empty: it is then missing. #}
{% macro typed(text, missing, pattern, date, first_year, type, decimal, unit, wrong) %}
{% set number %}{% if unit %}replace({{ text }}, {{ unit | text }}, ''){% else %}{{ text }}{% endif %}{% endset %}
{% set time %}try_strptime({{ text }}, {{ date | text }}){% endset %}
{% set century %}{% if first_year %} - to_years(100 * cast(floor((year({{ time }}) - {{ first_year }}) / 100) as integer)){% endif %}{% endset %}
{% set digits %}replace(regexp_replace({{ number }}, {{ ("[^0-9+" ~ decimal ~ "-]") | text }}, '', 'g'), {{ decimal | text }}, '.'){% endset %}
{% set read %}
case when regexp_full_match({{ text }}, {{ pattern | text }})
            then {% if date %}cast({{ time }}{{ century }} as {{ type }}){% else %}try_cast({{ digits }} as {{ type }}){% endif %} end
{%- endset %}
{% if wrong %}
case when coalesce({{ text }}, '') not in (''{% for code in missing %}, {{ code | text }}{% endfor %}) then coalesce(
        {{ read }},
        {{ wrong }}
    ) end
{%- else %}
{{ read }}
{%- endif %}
{%- endmacro %}
{# The value of a column, missing where it is one of the codes.
   text: of the value, trimmed; value: as it is read. #}
{% macro present(text, missing, value) %}
case when {{ text }} in ({% for code in missing %}{{ code | text }}{{ ", " if not loop.last }}{% endfor %}) then null else {{ value }} end
{%- endmacro %}
