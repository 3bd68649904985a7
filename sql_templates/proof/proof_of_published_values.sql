{#- inputs: columns list[ChangedColumn], rows str, person str, least int -#}
{% macro value(column) -%}
{% if column.change.is_of_days %}
try_cast(text as timestamp)
{%- elif column.change.has_numbers %}
try_cast(text as decimal(38, 9))
{%- else %}
coalesce(try_cast(text as decimal(38, 9)), cast(epoch(try_cast(text as timestamp)) as decimal(38, 9)))
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
with {% for column in columns %}
published_values_{{ loop.index }} as (
    -- the published values of {{ column.name | comment }}, each once{{ " a person" if person }}
    select {{ value(column) }} as published_value, row_count{{ ", member" if person }}
    from (
        select cast({{ column.name | ident }} as varchar) as text, count(*) as row_count{{ ", " ~ (person | ident) ~ " as member" if person }}
        from {{ rows }}
        where {{ column.name | ident }} is not null
        group by {{ column.name | ident }}{{ ", " ~ (person | ident) if person }}
    ) as published_texts
){{ "," if not loop.last }}
{% endfor %}
{% for column in columns %}
{% set number, change = loop.index, column.change %}
{{ "union all " if not loop.first }}select {{ number }} as attribute_number, cast(sum(row_count) as bigint) as affected
from published_values_{{ number }}
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
    select {{ "count(distinct member)" if person else "cast(sum(row_count) as bigint)" }} as members
    from published_values_{{ number }}
    where published_value = (select {{ extreme }}(published_value) from published_values_{{ number }})
) as counted_ends
where members < {{ least | number }}
{% endfor %}
{% endfor %}
