{#- inputs: title str, attribute str, published Counting | None, source Counting | None, width number | None, typed bool, characters int, shown_from int, most int -#}
{% macro value(column) %}
{% if width is not none %}
floor({{ "try_cast(cast(" if not typed }}counted.{{ column | ident }}{{ " as varchar) as double)" if not typed }} / {{ width | number }}) * {{ width | number }}
{%- elif characters %}
left(cast(counted.{{ column | ident }} as varchar), {{ characters }})
{%- else %}
cast(counted.{{ column | ident }} as varchar)
{%- endif %}
{% endmacro %}
-- {{ title }}: the values of {{ attribute | comment }}, and how many rows have them
--   A value is shown only if {{ shown_from }} or more are published with it, and of these the {{ most }} with
--   the most rows{{ "; numbers are counted by ranges" if width is not none }}{{ "; others by their first " ~ characters ~ " characters" if characters }}.
-- reads:   {{ published.relation if published }}{{ ", " if published and source }}{{ source.relation if source }}
-- returns: one row per shown value, and one for all others
--   value           the value{{ ", where its range begins" if width is not none }}
--   is_shown        false for all others together
--   value_count     values                            [values]
--   most_members    of the value with the most, rows or persons of the promises
{% if source %}
--   source_rows     rows of the source with them      [rows]
{% endif %}
{% if published %}
--   published_rows  published rows with them          [rows]
{% endif %}
-- nulls:   a missing value is null, and so is the value of all others
with {% for which, counted in [("published", published), ("source", source)] if counted %}
{{ which }}_values as (
    select
        {{ value(counted.column) | trim }} as value,
        cast({{ counted.rows }} as bigint) as row_count,
        {{ counted.members }} as member_count
    from {{ counted.relation }} as counted
    group by 1
),
{% endfor %}
counted_values as (
{% if published and source %}
    select
        coalesce(published_values.value, source_values.value) as value,
        coalesce(source_values.row_count, 0) as source_rows,
        coalesce(published_values.row_count, 0) as published_rows,
        coalesce(published_values.member_count, 0) as member_count
    from published_values
    full join source_values on source_values.value is not distinct from published_values.value
{% else %}
    select value, row_count as {{ "published" if published else "source" }}_rows, member_count
    from {{ "published" if published else "source" }}_values
{% endif %}
),
ranked_values as (
    select
        *,
        member_count >= {{ shown_from }} and row_number() over (
            order by member_count >= {{ shown_from }} desc, member_count desc, value
        ) <= {{ most }} as is_shown
    from counted_values
)
select
    case when is_shown then value end as value,
    is_shown,
    count(*) as value_count,
    cast(max(member_count) as bigint) as most_members{{ ",\n    cast(sum(source_rows) as bigint) as source_rows" if source }}{{ ",\n    cast(sum(published_rows) as bigint) as published_rows" if published }}
from ranked_values
group by case when is_shown then value end, is_shown
order by is_shown desc, {{ "value" if width is not none or characters else "sum(member_count) desc, value" }}
