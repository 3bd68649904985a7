{#- inputs: title str, lines list[tuple[str, str]], published list[PublishedColumn], classes str, masked bool -#}
{% import "_release_header.sql" as header %}
{{ header.lines(title, lines) -}}
with labels as (
    -- by place, in lists: a join would not keep the order of the rows
    select
{% for column in published if column.is_label %}
{% set label = column.alias | ident %}
        list({{ "cast(" ~ label ~ " as sqlanon." ~ column.type_name ~ ")" if column.type_name else label }} order by place) as {{ label }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ classes }}
{% if masked %}
    where place > 0
{% endif %}
)
select
{% for column in published %}
{% set name = column.alias | ident %}
{% if column.is_label %}
{% if masked %}
    case
        when ordered_rows.place > 0 then labels.{{ name }}[ordered_rows.place]
        else cast('*' as sqlanon.{{ column.type_name }})
    end as {{ column.name | ident }}{{ "," if not loop.last }}
{% else %}
    labels.{{ name }}[ordered_rows.place] as {{ column.name | ident }}{{ "," if not loop.last }}
{% endif %}
{% else %}
    ordered_rows.{{ name }}{{ " as " ~ (column.name | ident) if column.name != column.alias }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
from sqlanon.ordered_rows
cross join labels
