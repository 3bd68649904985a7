{#- inputs: classes str, class_values str, table_values str, class_key list[str], excess bool, unit bool, attribute str, l Decimal, c Decimal, harmless list[str], never_excluded list[str], c2 Decimal, promise str, source str -#}
{% call sqlanon.comments_wrapped("-- l_diversity_recursive: ", width=86) %}
{{ sqlanon.comment(promise) }}
{% endcall -%}
{% call sqlanon.comments_wrapped("-- source:  ", width=86) %}
{{ sqlanon.comment(source) }}{{ "; positive disclosure of some values allowed (pd)" if harmless }}{{ "; some values never excluded (npd)" if never_excluded }}
{% endcall -%}
{{ sqlanon.comments_reads(class_values ~ ", how often each value of " ~ sqlanon.comment(attribute) ~ " occurs in each class" ~ (", " ~ classes if unit) ~ (", and " ~ table_values if harmless or never_excluded)) }}
-- returns: one row per equivalence class
--   diversity   {{ "persons" if unit else "rows" }} of the rarer values / {{ "persons" if unit else "rows" }} of the most frequent value   [ratio]
{% if unit and l > 1 %}
--               0 if a person has several values in the class
{% endif %}
{% if never_excluded %}
--   least_c     {{ "persons" if unit else "rows" }} of the most frequent value / {{ "persons" if unit else "rows" }} of the rarer values: c must be
--               above it
--   least_share   smallest share of a value that is never excluded   [0 to 1]
{% endif %}
--   satisfied   diversity > 1 / {{ sqlanon.number(c) }}, compared exactly; never null
{% if unit and l > 1 %}
--               and no person has several values in the class
{% endif %}
{% if never_excluded %}
--               and each value that is never excluded has its share
{% endif %}
{% if excess %}
{{ sqlanon.keys_excess_title() }}
{% if not (harmless or never_excluded or l == 1) %}
--                 no kept value can have {{ sqlanon.number(c) }} times the rarer rows, which can only decrease
{% endif %}
{% endif %}
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
{{ sqlanon.keys_select("class_values", class_key, true) }}        class_values.value_count,
{% if harmless or never_excluded %}
        table_values.text,
{% endif %}
{% if harmless %}
        coalesce(
            table_values.text in ({{ sqlanon.keys_texts(harmless) }}),
            false
        ) as harmless,
{% endif %}
        row_number() over (
            partition by {{ sqlanon.keys_list("class_values", class_key) }}
            order by class_values.value_count desc, class_values.value
        ) as place
    from {{ sqlanon.keys_named(class_values, "class_values") }}
{% if harmless or never_excluded %}
    inner join {{ sqlanon.keys_named(table_values, "table_values") }}
        on table_values.value = class_values.value
{% endif %}
),
{% if harmless %}
guarded_places as (
    -- the place of the most frequent value whose disclosure is not allowed; null if none
    select
{{ sqlanon.keys_select("ranked_values", class_key, true) }}        min(ranked_values.place) filter (where not ranked_values.harmless) as place
    from ranked_values
    group by {{ sqlanon.keys_list("ranked_values", class_key) }}
),
{% endif %}
class_counts as (
{% if harmless %}
    -- the rarer values: from place {{ sqlanon.number(l) }} on; if the guarded value is itself that
    -- rare, from place {{ l - 1 }} on without it
{% else %}
    -- the rarer values: from place {{ sqlanon.number(l) }} on
{% endif %}
    select
{{ sqlanon.keys_select("ranked_values", class_key, true) }}{% if unit %}
        min(classes.class_size) as class_size,
        sum(ranked_values.value_count) > min(classes.class_size) as has_several,
{% else %}
        cast(sum(ranked_values.value_count) as bigint) as class_size,
{% endif %}
{% if harmless %}
        max(ranked_values.value_count) filter (
            where ranked_values.place = guarded_places.place
        ) as largest_count,
        cast(coalesce(sum(ranked_values.value_count) filter (
            where case
                when guarded_places.place <= {{ l - 1 }} then ranked_values.place >= {{ sqlanon.number(l) }}
                else ranked_values.place >= {{ l - 1 }}
                    and ranked_values.place <> guarded_places.place
            end
        ), 0) as bigint) as rarer_rows{{ "," if never_excluded }}
{% else %}
        max(ranked_values.value_count) as largest_count,
        cast(
            coalesce(
                sum(ranked_values.value_count) filter (
                    where ranked_values.place >= {{ sqlanon.number(l) }}
                ),
                0
            ) as bigint
        ) as rarer_rows{{ "," if never_excluded }}
{% endif %}
{% if never_excluded %}
        min(ranked_values.value_count) filter (
            where ranked_values.text in ({{ sqlanon.keys_texts(never_excluded) }})
        ) as least_kept_count,
        count(*) filter (
            where ranked_values.text in ({{ sqlanon.keys_texts(never_excluded) }})
        ) as kept_values
{% endif %}
    from ranked_values
{% if unit %}
    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "ranked_values", class_key, true) -}}
{% endif %}
{% if harmless %}
    inner join guarded_places
{{ sqlanon.keys_join("guarded_places", "ranked_values", class_key, true) }}{% endif %}
    group by {{ sqlanon.keys_list("ranked_values", class_key) }}
),
class_verdicts as (
    select
{{ sqlanon.keys_select("class_counts", class_key, true) }}        class_counts.rarer_rows,
        -- null if all values of the class may be disclosed
{% if unit and l > 1 %}
        case when class_counts.has_several then 0
            else cast(class_counts.rarer_rows as {{ sqlanon.double() }}) / class_counts.largest_count
        end as diversity,
{% else %}
        cast(class_counts.rarer_rows as {{ sqlanon.double() }})
            / class_counts.largest_count as diversity,
{% endif %}
{% if never_excluded %}
{% if l == 1 %}
        0 as least_c,
{% else %}
        case
{% if unit %}
            when class_counts.has_several then cast('infinity' as {{ sqlanon.double() }})
{% endif %}
            when class_counts.largest_count is null then 0
            when class_counts.rarer_rows = 0 then cast('infinity' as {{ sqlanon.double() }})
            else cast(class_counts.largest_count as {{ sqlanon.double() }}) / class_counts.rarer_rows
        end as least_c,
{% endif %}
        case
            when class_counts.kept_values < {{ never_excluded | unique | list | length }} then 0
            else cast(class_counts.least_kept_count as {{ sqlanon.double() }}) / class_counts.class_size
        end as least_share,
{% endif %}
{% if l == 1 %}
        true{{ "" if never_excluded else " as satisfied" }}
{% else %}
        {{ "not class_counts.has_several and " if unit }}coalesce(
            class_counts.largest_count < {{ sqlanon.number(c) }} * class_counts.rarer_rows,
            true
        ){{ "" if never_excluded else " as satisfied" }}
{% endif %}
{% if never_excluded %}
            and class_counts.kept_values = {{ never_excluded | unique | list | length }}
            and class_counts.least_kept_count
                >= {{ sqlanon.number(c2) }} * class_counts.class_size as satisfied
{% endif %}
    from class_counts
)
{%- if excess and not (harmless or never_excluded or l == 1) %},
class_excess as (
    select
{{ sqlanon.keys_select("class_values", class_key, true) }}        sum(greatest(class_values.value_count - {{ sqlanon.number(c) }} * class_verdicts.rarer_rows, 0)) as row_count
    from {{ sqlanon.keys_named(class_values, "class_values") }}
    inner join class_verdicts
{{ sqlanon.keys_join("class_verdicts", "class_values", class_key, true) }}    group by {{ sqlanon.keys_list("class_values", class_key) }}
)
{%- endif %}

select
{{ sqlanon.keys_select("class_verdicts", class_key) }}    class_verdicts.diversity,
{% if never_excluded %}
    class_verdicts.least_c,
    class_verdicts.least_share,
{% endif %}
{% if excess and (harmless or never_excluded or l == 1) %}
    case when class_verdicts.satisfied then 0 else 1 end as excess_rows,
{% elif excess %}
    case
        when class_verdicts.satisfied then 0
        else greatest(1, ceil(class_excess.row_count))
    end as excess_rows,
{% endif %}
    class_verdicts.satisfied
from class_verdicts
{% if excess and not (harmless or never_excluded or l == 1) %}
inner join class_excess
{{ sqlanon.keys_join("class_excess", "class_verdicts", class_key) }}{% endif %}
