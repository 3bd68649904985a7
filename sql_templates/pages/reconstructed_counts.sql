{#- inputs: attribute str, width number | None, characters int, level int | None, unit str, shown_from int, most int -#}
-- reconstructed_counts: the values of {{ attribute | comment }}, how many rows of the source have them,
--   and how many published rows a reader of the labels takes to have them
--   A value is shown only if {{ shown_from }} or more {{ "persons" if unit else "rows" }} have it, and of these the {{ most }} with the most
--   {{- "; numbers are counted by ranges" if width is not none }}{{ "; others by their first " ~ characters ~ " characters" if characters }}{{ "; counted are the labels of level " ~ level if level is not none }}.
-- reads:   reconstructed_values{{ ", hierarchy_levels" if level is not none }}{{ ", source_combinations" if unit }}
-- returns: one row per shown value, and one for all others
--   value            the value{{ ", where its range begins" if width is not none }}
--   is_shown         false for all others together
--   value_count      values                                [values]
--   most_members     of the value with the most, rows or persons
--   source_rows      rows of the source with them          [rows]
--   published_rows   rows that are read as them, not a whole number   [rows]
-- nulls:   a missing value is null, and so is the value of all others
with binned_values as (
    select
        counted.value as exact_value,
        counted.row_count,
        counted.published_rows,
{% if width is not none %}
        floor(try_cast(counted.value as double) / {{ width | number }}) * {{ width | number }} as value
{% elif characters %}
        left(counted.value, {{ characters }}) as value
{% elif level is not none %}
        hierarchy_levels.label as value
{% else %}
        counted.value
{% endif %}
    from sqlanon.reconstructed_values as counted
{% if level is not none %}
    inner join sqlanon.hierarchy_levels
        on hierarchy_levels.attribute = counted.attribute
        and hierarchy_levels.level = {{ level }}
        and hierarchy_levels.value is not distinct from counted.value
{% endif %}
    where counted.attribute = {{ attribute | text }}
),
{% if unit %}
counted_persons as (
    select
        binned_values.value,
        count(distinct combinations.{{ unit | ident }}) as member_count
    from sqlanon.source_combinations as combinations
    inner join binned_values
        on binned_values.exact_value
        is not distinct from cast(combinations.{{ attribute | ident }} as varchar)
    group by binned_values.value
),
{% endif %}
counted_values as (
    select
        binned_values.value as bin,
        cast(sum(binned_values.row_count) as bigint) as source_rows,
        sum(binned_values.published_rows order by binned_values.exact_value) as published_rows,
{% if unit %}
        coalesce(max(counted_persons.member_count), 0) as member_count
    from binned_values
    left join counted_persons
        on counted_persons.value is not distinct from binned_values.value
    group by binned_values.value
{% else %}
        cast(sum(binned_values.row_count) as bigint) as member_count
    from binned_values
    group by binned_values.value
{% endif %}
),
ranked_values as (
    select
        *,
        member_count >= {{ shown_from }} and row_number() over (
            order by member_count >= {{ shown_from }} desc, member_count desc, bin
        ) <= {{ most }} as is_shown
    from counted_values
)
select
    case when is_shown then bin end as value,
    is_shown,
    count(*) as value_count,
    cast(max(member_count) as bigint) as most_members,
    cast(sum(source_rows) as bigint) as source_rows,
    sum(published_rows order by bin) as published_rows
from ranked_values
group by case when is_shown then bin end, is_shown
order by is_shown, case when is_shown then bin end
