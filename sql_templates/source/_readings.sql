{#- how the texts of a column are read; whatever does not fit stops the statement -#}
{# A text as a date, a point in time or a number.
   text: the column; missing: the codes of a missing value; pattern: what a text must match;
   date: the format, or empty; type: of the values; decimal: the decimal point of numbers;
   message: what is wrong where a text does not fit. #}
{% macro typed(text, missing, pattern, date, type, decimal, message) %}
case when coalesce(trim({{ text }}), '') not in (''{% for code in missing %}, {{ code | text }}{% endfor %}) then coalesce(
        case when regexp_full_match(trim({{ text }}), {{ pattern | text }})
            then {% if date %}cast(try_strptime(trim({{ text }}), {{ date | text }}) as {{ type }}){% else %}try_cast(replace(regexp_replace({{ text }}, {{ ("[^0-9+" ~ decimal ~ "-]") | text }}, '', 'g'), {{ decimal | text }}, '.') as {{ type }}){% endif %} end,
        error({{ message | text }})
    ) end
{%- endmacro %}
{# The value of a column, missing where it is one of the codes.
   text: the value as text; value: as it is read. #}
{% macro present(text, missing, value) %}
case when trim({{ text }}) in ({% for code in missing %}{{ code | text }}{{ ", " if not loop.last }}{% endfor %}) then null else {{ value }} end
{%- endmacro %}
