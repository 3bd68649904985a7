{#- inputs: columns list[ChangedColumn], rows str, person str, least int -#}
{% macro value(column) -%}
{% set text = "cast(" ~ (column.name | ident) ~ " as varchar)" %}
{% if column.change.is_of_days %}
try_cast({{ text }} as timestamp)
{%- elif column.change.has_numbers %}
try_cast({{ text }} as decimal(38, 9))
{%- else %}
coalesce(try_cast({{ text }} as decimal(38, 9)), cast(epoch(try_cast({{ text }} as timestamp)) as decimal(38, 9)))
{%- endif %}
{%- endmacro %}
{% macro literal(end, column) -%}
{{ "cast(" ~ (end | text) ~ " as timestamp)" if column.change.is_of_days else end | number }}
{%- endmacro %}
-- proof_of_published_values: columns with published values that are not as the plan has them: that
--   are no numbers or dates, beyond an end, no multiples or no first days, or with an end that
--   fewer than {{ least }} {{ "persons" if person else "rows" }} share
-- reads:   {{ rows.removeprefix("sqlanon.") }}
-- returns: one row per column and kind of fault
--   affected   such values, or the {{ "persons" if person else "rows" }} at such an end
{% for column in columns %}
{% set number, change = loop.index, column.change %}
{{ "union all " if not loop.first }}select {{ number }} as attribute_number, count(*) as affected
from (
    select {{ value(column) }} as published_value
    from {{ rows }}
    where {{ column.name | ident }} is not null
) as published_values
where published_value is null
{% for side, end in change.ends.items() if end != "auto" %}
    or published_value {{ ">" if side == "top" else "<" }} {{ literal(end, column) }}
{% endfor %}
{% if change.has_numbers and change.round is not none %}
    or published_value % cast({{ change.round | number }} as decimal(38, 9)) <> 0
{% elif change.has_numbers %}
    or cast(published_value as decimal(38, {{ change.places }})) <> published_value
{% elif change.round %}
    or strftime(published_value, '%d') <> '01'
    or month(published_value) not in ({{ {"month": "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12", "quarter": "1, 4, 7, 10", "year": "1"}[change.round] }})
    or cast(published_value as date) <> published_value
{% endif %}
having count(*) > 0
{% for side, end in change.ends.items() if end == "auto" %}
{% set extreme = "max" if side == "top" else "min" %}
union all select {{ number }}, members
from (
    select count({{ "distinct " ~ (person | ident) if person else "*" }}) as members
    from {{ rows }}
    where {{ value(column) }} = (select {{ extreme }}({{ value(column) }}) from {{ rows }})
) as counted_ends
where members < {{ least | number }}
{% endfor %}
{% endfor %}
