{# Lines of a grid: the one at or below a value, the next one, their texts and their positions. A
   line of dates is a number of months, and its text the month, or the year that begins there. #}
{% macro exact(value, grid) -%}
{% if grid.period %}
try_cast({{ value }} as timestamp)
{%- else %}
try_cast({{ value }} as decimal(37, 18))
{%- endif %}
{%- endmacro %}
{% macro line(exact, grid) -%}
{% set width = grid.width | number %}
{% if grid.period %}
year({{ exact }}) * 12 + month({{ exact }}) - 1
    - (year({{ exact }}) * 12 + month({{ exact }}) - 1) % {{ width }}
{%- else %}
{{ exact }} - ({% if grid.start %}({{ exact }} - {{ grid.start | number }}){% else %}{{ exact }}{% endif %} % {{ width }} + {{ width }}) % {{ width }}
{%- endif %}
{%- endmacro %}
{% macro text(line, grid, next=false) -%}
{% set at = "(" ~ line ~ " + " ~ (grid.width | number) ~ ")" if next else line %}
{% if not grid.period %}
cast(cast({{ at }} as decimal(38, {{ grid.decimals }})) as varchar)
{%- elif grid.width % 12 %}
substring(cast(10000 + {{ at }} // 12 as varchar), 2)
    || '-' || substring(cast(101 + {{ at }} % 12 as varchar), 2)
{%- else %}
substring(cast(10000 + {{ at }} // 12 as varchar), 2)
{%- endif %}
{%- endmacro %}
{% macro whole(text, grid) -%}
{% if grid and grid.period %}
substring({{ text }} || '-01-01', 1, 10)
{%- else %}
{{ text }}
{%- endif %}
{%- endmacro %}
{% macro position(text, grid) -%}
{% if grid.period %}
epoch(cast({{ whole(text, grid) }} as timestamp)) / 86400
{%- else %}
cast({{ text }} as double)
{%- endif %}
{%- endmacro %}
{# Whether a value is a line itself. #}
{% macro is_line(exact, line, grid) -%}
{% if grid.period %}
{{ position(text(line, grid), grid) }} = epoch({{ exact }}) / 86400
{%- else %}
{{ line }} = {{ exact }}
{%- endif %}
{%- endmacro %}
{# Whether a date has a line that is written with four digits of the year. #}
{% macro has_line(exact, grid) -%}
{{ exact }} is not null{% if grid.period %} and year({{ exact }}) between 0 and 8799{% endif %}
{%- endmacro %}
