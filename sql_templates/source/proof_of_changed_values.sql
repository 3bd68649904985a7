{#- inputs: columns list[ChangedColumn], person str, least int -#}
{% import "partition/_grid.sql" as grids %}
{% set members = "persons" if person else "rows" %}
-- proof_of_changed_values: columns whose values cannot be made into what is published of them
-- reads:   source_rows
-- returns: one row per column; no row if there is none
--   unread   values that are no number, too long a number, NaN or infinite, or no date   [rows]
--   present  {{ members }} with a value, where the values that {{ least | number }} have are ends; else null
--   rare     values that fewer than {{ least | number }} {{ members }} have, where ends of intervals are counted; else null
--   lines    those of them at which intervals can end
with counted_rows as (
    select
{% for column in columns %}
{% set value = column.name | ident %}
{% set needs_an_end = column.change.round or "auto" in column.change.ends.values() %}
        count(*) filter (where {{ value }} is not null{% if column.grid %} and not ({{ grids.has_line(grids.exact("try_cast(" ~ value ~ " as " ~ column.read_type ~ ")", column.grid), column.grid) }}){% elif column.computed == "date" and not column.change.aggregate and needs_an_end %} and coalesce(cast(try_cast({{ value }} as {{ column.read_type }}) as varchar) in ('infinity', '-infinity'), true){% elif column.read_type %} and try_cast({{ value }} as {{ column.read_type }}) is null{% endif %}) as unread_{{ loop.index }},
        count({{ "distinct case when " ~ value ~ " is not null then " ~ (person | ident) ~ " end" if person else value }}) as present_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.source_rows
){% for column in columns %}{% if column.grid %},
rare_values_{{ loop.index }} as (
    -- values of {{ column.name | comment }} that too few have, and those of them where intervals can end
    select
        count(*) as rare,
        count(*) filter (
            where {{ grids.is_line("exact", "(" ~ grids.line("exact", column.grid) ~ ")", column.grid) }}
        ) as lines
    from (
        select exact
        from (
            select {{ grids.exact("try_cast(" ~ (column.name | ident) ~ " as " ~ column.read_type ~ ")", column.grid) }} as exact{{ ", " ~ (person | ident) ~ " as person" if person }}
            from sqlanon.source_rows
        ) as read_values
        group by exact
        having {{ "count(distinct person)" if person else "count(*)" }} < {{ least | number }}
    ) as values_of_few
    where {{ grids.has_line("exact", column.grid) }}
){% endif %}{% endfor %}

{% for column in columns %}
{% set few = "present_" ~ loop.index ~ " < " ~ 2 * least if "auto" in column.change.ends.values() else "" %}
{% set lines = "2 * lines > rare" if column.grid else "" %}
{{ "union all " if not loop.first }}select
    {{ column.name | text }} as attribute,
    unread_{{ loop.index }} as unread,
    {{ "present_" ~ loop.index if few else "cast(null as bigint)" }} as present,
    {{ "rare" if lines else "cast(null as bigint)" }} as rare,
    {{ "lines" if lines else "cast(null as bigint)" }} as lines
from counted_rows{{ "\ncross join rare_values_" ~ loop.index if lines }}
where unread_{{ loop.index }} > 0{{ " or " ~ few if few }}{{ " or " ~ lines if lines }}

{% endfor %}
