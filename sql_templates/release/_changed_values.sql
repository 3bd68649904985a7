{# What is published in place of a column's values: `column`, a ChangedColumn. #}
{# A value as it is computed with: numbers as decimals, of which sums are exact. #}
{% macro read(value, column) -%}
{{ "cast(" ~ value ~ " as " ~ column.read_type ~ ")" if column.read_type else value }}
{%- endmacro %}
{# A number that was read, or a sum of them, in whole units of its last digit. #}
{% macro whole(value, column) -%}
{{ "cast(" ~ value ~ " * " ~ 10 ** column.digits ~ " as hugeint)" if column.computed == "number" and column.digits else value }}
{%- endmacro %}
{# The published number of so many units of its last digit. #}
{% macro published(units, places) -%}
{% if places %}
cast(cast({{ units }} as decimal(32, 0)) * cast({{ "0." ~ "0" * (places - 1) ~ "1" }} as decimal(6, {{ places }})) as decimal(38, {{ places }}))
{%- else %}
cast({{ units }} as decimal(38, 0))
{%- endif %}
{%- endmacro %}
{# A quotient of whole numbers, rounded half away from zero. #}
{% macro quotient(total, divisor) -%}
case when {{ total }} < 0 then -1 else 1 end * cast((2 * abs({{ total }}) + {{ divisor }}) // {{ 2 * divisor if divisor is number else "(2 * " ~ divisor ~ ")" }} as hugeint)
{%- endmacro %}
{# A whole number, or the mean of so many, in units of the last digit that is published. #}
{% macro units(total, column, count="") -%}
{% set more = column.change.places - column.digits %}
{% set raised = "(" ~ total ~ " * " ~ 10 ** more ~ ")" if more > 0 else total %}
{% set divisor = 10 ** (0 - more) if more < 0 else 1 %}
{% if divisor > 1 or count %}
{{ quotient(raised, "(" ~ count ~ " * " ~ divisor ~ ")" if count and divisor > 1 else count or divisor) }}
{%- else %}
{{ raised }}
{%- endif %}
{%- endmacro %}
{# The first day of the period of a day. #}
{% macro period(day, period) -%}
{% if period == "quarter" %}
strftime({{ day }}, '%Y-') || substring(cast(3 * quarter({{ day }}) + 98 as varchar), 2) || '-01'
{%- else %}
strftime({{ day }}, {{ ("%Y-%m-01" if period == "month" else "%Y-01-01") | text }})
{%- endif %}
{%- endmacro %}
{# A value that was read, rounded: to the digits that are published, to multiples, or to a period. #}
{% macro rounded(value, column) -%}
{% if column.computed == "date" %}
{{ "cast(" ~ period(value, column.change.round) ~ " as " ~ column.read_type ~ ")" if column.change.round else value }}
{%- elif column.change.round is none %}
cast({{ "round(" ~ value ~ ", " ~ column.change.places ~ ")" if column.digits else value }} as decimal(38, {{ column.change.places }}))
{%- else %}
{{ published("(" ~ quotient(whole(value, column) ~ (" * " ~ column.raised if column.raised > 1 else ""), column.multiple) ~ ") * " ~ column.multiple_units, column.change.places) }}
{%- endif %}
{%- endmacro %}
{# An end of the values as the plan gives it, or as the rows have it. #}
{% macro end(side, number, column) -%}
{% set value = column.change.ends[side] %}
{% if value == "auto" %}
(select value from {{ side }}_{{ number }})
{%- elif column.computed == "date" %}
cast({{ value | text }} as {{ column.read_type }})
{%- else %}
cast({{ value | number }} as decimal(38, {{ column.change.places }}))
{%- endif %}
{%- endmacro %}
