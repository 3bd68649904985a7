{#- inputs: columns list[ChangedColumn], person str, least int -#}
-- proof_of_changed_values: columns whose values cannot be made into what is published of them
-- reads:   source_rows
-- returns: one row per column; no row if there is none
--   unread   values that are no number, too long a number, NaN or infinite, or no date   [rows]
--   present  {{ "persons" if person else "rows" }} with a value, where the values that {{ least | number }} have are ends; else null
with counted_rows as (
    select
{% for column in columns %}
{% set value = column.name | ident %}
        count(*) filter (where {{ value }} is not null{{ " and try_cast(" ~ value ~ " as " ~ column.read_type ~ ") is null" if column.read_type }}) as unread_{{ loop.index }},
        count({{ "distinct case when " ~ value ~ " is not null then " ~ (person | ident) ~ " end" if person else value }}) as present_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.source_rows
)
{% for column in columns %}
{% set is_few = "present_" ~ loop.index ~ " < " ~ 2 * least if "auto" in column.change.ends.values() else "" %}
{{ "union all " if not loop.first }}select {{ column.name | text }} as attribute, unread_{{ loop.index }} as unread, {{ "present_" ~ loop.index if is_few else "cast(null as bigint)" }} as present
from counted_rows
where unread_{{ loop.index }} > 0{{ " or " ~ is_few if is_few }}

{% endfor %}
