{# What arguments may be; the message of each error says what to write. #}

{% macro refuse(test, message) -%}
{{ exceptions.raise_compiler_error("sqlanon." ~ test ~ ": " ~ message) }}
{%- endmacro %}

{% macro check_given(test, name, value, example) -%}
{%- if value is undefined or value is none -%}
{{ sqlanon.refuse(test, name ~ " is missing; write it as in `" ~ name ~ ": " ~ example ~ "`") }}
{%- endif -%}
{%- endmacro %}

{# `expected` says in words what the bounds say: above `gt`, `ge` or more, below `lt`, `le` at most. #}
{% macro check_number(test, name, value, expected, gt=none, ge=none, lt=none, le=none, whole=false, optional=false) -%}
{%- if not (optional and value is none) -%}
{%- if value is not number or value is boolean
    or (gt is not none and not value > gt) or (ge is not none and not value >= ge)
    or (lt is not none and not value < lt) or (le is not none and not value <= le)
    or (whole and value != value | int) -%}
{{ sqlanon.refuse(test, name ~ " must be " ~ expected) }}
{%- endif -%}
{%- endif -%}
{%- endmacro %}

{% macro check_choice(test, name, value, choices) -%}
{%- if value not in choices -%}
{{ sqlanon.refuse(test, name ~ " must be " ~ choices | join(" or ")) }}
{%- endif -%}
{%- endmacro %}

{% macro check_name(test, name, value, optional=false) -%}
{%- if not (optional and value is none) and (value is not string or value | length == 0) -%}
{{ sqlanon.refuse(test, name ~ " must be the name of a column") }}
{%- endif -%}
{%- endmacro %}

{% macro check_list(test, name, value, least=0) -%}
{%- if value is string or value is not sequence or value is mapping -%}
{{ sqlanon.refuse(test, name ~ " must be a list, as in `" ~ name ~ ": [a, b]`") }}
{%- elif value | length < least -%}
{{ sqlanon.refuse(test, name ~ " must have " ~ least ~ " entries or more") }}
{%- elif value | unique | list | length < value | length and least > 0 -%}
{{ sqlanon.refuse(test, name ~ " has an entry twice") }}
{%- endif -%}
{%- for each in value if each is not string or each | length == 0 -%}
{{ sqlanon.refuse(test, name ~ " must be a list of texts; put numbers in quotes") }}
{%- endfor -%}
{%- endmacro %}

{% macro check_rule(test, holds, message) -%}
{%- if not holds -%}
{{ sqlanon.refuse(test, message) }}
{%- endif -%}
{%- endmacro %}
