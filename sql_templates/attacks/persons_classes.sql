{#- inputs: title str, rows str, persons str, labels str, key list[tuple[str, str]], groups list[list[tuple[int, str]]] -#}
{% import "_keys.sql" as keys %}
{% set aliases = key | map("last") | list %}
-- {{ title }}: the classes that each person may be in
{% for group in groups if groups | length > 1 %}
--   {% for number, name in group %}{{ name | comment }}{{ ", " if not loop.last }}{% endfor %} stay together in each row{{ ";" if not loop.last }}
{% endfor %}
-- reads:   {{ rows | comment }}, {{ persons }}, {{ labels }}
-- returns: one row per person and class
--   person_count   persons with these quasi-identifiers
-- nulls:   a null is a value of its own
with {% for group in groups %}
{% set at = loop.index %}
rows_{{ at }} as (
    select distinct
{% for name, alias in key %}
        {{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }},
{% endfor %}
{% for number, name in group %}
        cast({{ name | ident }} as varchar) as text_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    from {{ rows }}
),
numbered_{{ at }} as (
    -- rows with equal values in the first attributes share a prefix number, so that they are
    -- found attribute by attribute
    select
        *{% for number, name in group %},
        dense_rank() over (
            order by
{% for other, other_name in group[:loop.index] %}
                text_{{ other }}{{ "," if not loop.last }}
{% endfor %}
        ) as prefix_{{ loop.index }}{% endfor %}

    from rows_{{ at }}
),
located_{{ at }}_0 as (
    select
        person,
{% for number, name in group %}
        value_{{ number }},
{% endfor %}
        0 as prefix_0
    from sqlanon.{{ persons }}
){% for number, name in group %},
{% set step = loop.index %}
located_{{ at }}_{{ step }} as (
    -- of the rows found so far, those whose {{ name | comment }} fits the person
    select
        located.person,
{% for later, later_name in group[step:] %}
        located.value_{{ later }},
{% endfor %}
        prefixes.prefix_{{ step }}
    from located_{{ at }}_{{ step - 1 }} as located
    inner join sqlanon.{{ labels }} as labels
        on labels.attribute_number = {{ number }}
        and labels.value is not distinct from located.value_{{ number }}
    inner join (
        select distinct {{ "0 as prefix_0" if step == 1 else "prefix_" ~ (step - 1) }}, prefix_{{ step }}, text_{{ number }}
        from numbered_{{ at }}
    ) as prefixes
        on prefixes.prefix_{{ step - 1 }} = located.prefix_{{ step - 1 }}
        and prefixes.text_{{ number }} is not distinct from labels.label
){% endfor %},
matched_{{ at }} as (
    select distinct
{{ keys.select("numbered", aliases, true) }}        located.person
    from located_{{ at }}_{{ group | length }} as located
    inner join numbered_{{ at }} as numbered
        on numbered.prefix_{{ group | length }} = located.prefix_{{ group | length }}
){{ "," if not loop.last }}
{% endfor %}
select
{{ keys.select("matched_1", aliases) }}    persons.person,
    persons.person_count
from matched_1
{% for group in groups[1:] %}
{% set other = "matched_" ~ (loop.index + 1) %}
inner join {{ other }}
{{ keys.join(other, "matched_1", aliases) }}    and {{ other }}.person = matched_1.person
{% endfor %}
inner join sqlanon.{{ persons }} as persons
    on persons.person = matched_1.person
