{#- inputs: attributes list[CutAttribute], unit_alias str | None, least_persons int -#}
{% import "partition/_grid.sql" as grids %}
{% import "proof/_labels.sql" as label %}
{% set ends = attributes | rejectattr("grid") | list %}
{% set sets = ends | selectattr("kind", "equalto", "nominal") | list %}
{% set ranges = ends | rejectattr("kind", "equalto", "nominal") | list %}
{% set gridded = attributes | selectattr("grid") | list %}
{% set who = "persons" if unit_alias else "rows" %}
-- proof_of_ends: no published range ends at a value that fewer than {{ least_persons }} {{ who }} have: ranges of
--   numbers and dates on a grid end on its lines, and others at values that enough have; no set
--   names a value that too few have
-- reads:   published_rows{{ ("; source_combinations" if unit_alias else "; source_values") if ends }}
-- returns: one row per attribute with other labels
--   affected   such labels   [count]
with {% if ends %}
{% include "partition/_value_persons.sql" %}

{% endif %}
labels as (
    -- one row per attribute and label, without what it says of missing values
    select
        attribute_number,
        {{ label.without_null("label") }} as label
    from (
{% for attribute in attributes %}
        {{ "union all " if not loop.first }}select distinct {{ attribute.number }} as attribute_number, {{ attribute.name | ident }} as label
        from sqlanon.published_rows
{% endfor %}
    ) as published_labels
    where label is not null
){% if gridded %},
line_ends as (
    -- the same rows: the texts on both sides of the comma
    select
        attribute_number,
        label,
        {{ label.first_end("label", "strpos(label, ', ') - 2") }} as opening,
        {{ label.second_end("label", "strpos(label, ', ') + 2") }} as closing
    from labels
){% endif %}{% if sets %},
rare_names as (
    -- one row per attribute and value of too few: how a set would name it
    select attribute_number, value, {{ label.name("value") }} as name
    from value_persons
    where persons < {{ least_persons }}
        and attribute_number in ({{ sets | map(attribute="number") | join(", ") }})
),
set_texts as (
    -- one row per attribute and label: its names, and those of them that are not in quotes
    select
        attribute_number,
        label,
        ', ' || {{ label.braced("label") }} || ', ' as names,
        ', ' || regexp_replace({{ label.braced("label") }}, '"[^"]*"', '', 'g') || ', ' as plain_names
    from labels
    where attribute_number in ({{ sets | map(attribute="number") | join(", ") }})
){% endif %}{% if ranges %},
known_ends as (
    -- what a range may begin or end with, and how many have it; '*' is nobody's value
    select attribute_number, value, persons
    from value_persons
    where value <> '*'
        and attribute_number in ({{ ranges | map(attribute="number") | join(", ") }})
    union all
    select distinct attribute_number, '*', {{ least_persons }}
    from labels
),
readings as (
    -- one row per label and way to split it into two texts of the length of such an end
    select
        labels.attribute_number,
        labels.label,
        {{ label.first_end("labels.label", "sizes.size") }} as opening,
        {{ label.second_end("labels.label", "sizes.size + 4") }} as closing
    from labels
    inner join (
        select distinct attribute_number, length(value) as size
        from known_ends
    ) as sizes
        on sizes.attribute_number = labels.attribute_number
        and {{ label.splits_after("labels.label", "sizes.size") }}
    union all
    select attribute_number, label, label, label
    from labels
){% endif %}

{% for attribute in gridded %}
{% set grid = attribute.grid %}
{{ "union all\n" if not loop.first }}select {{ attribute.number }} as attribute_number, count(*) as affected
from (
    select
        label,
        opening,
        closing,
        {{ grids.line("exact_opening", grid) | indent(8) }} as opening_line,
        {{ grids.line("exact_closing", grid) | indent(8) }} as closing_line
    from (
        select
            label,
            opening,
            closing,
            {{ grids.exact(grids.whole("opening", grid), grid) }} as exact_opening,
            {{ grids.exact(grids.whole("closing", grid), grid) }} as exact_closing
        from line_ends
        where attribute_number = {{ attribute.number }}
    ) as exact_ends
) as lines
where not coalesce(
    label like '[%, %)'
    and opening = {{ grids.text("opening_line", grid) | indent(8) }}
    and closing = {{ grids.text("closing_line", grid) | indent(8) }},
    false
)
having count(*) > 0
{% endfor %}
{% if sets %}
{{ "union all\n" if gridded }}select set_texts.attribute_number, count(distinct set_texts.label) as affected
from set_texts
inner join rare_names
    on rare_names.attribute_number = set_texts.attribute_number
where set_texts.label = rare_names.value
    or (
        set_texts.label like {{ "{%" | text }}
        and strpos(
            case
                when rare_names.name = rare_names.value then set_texts.plain_names
                else set_texts.names
            end,
            ', ' || rare_names.name || ', '
        ) > 0
    )
group by set_texts.attribute_number
{% endif %}
{% if ranges %}
{{ "union all\n" if gridded or sets }}select readings.attribute_number, count(distinct readings.label) as affected
from readings
inner join known_ends as openings
    on openings.attribute_number = readings.attribute_number
    and openings.value = readings.opening
inner join known_ends as closings
    on closings.attribute_number = readings.attribute_number
    and closings.value = readings.closing
where openings.persons < {{ least_persons }} or closings.persons < {{ least_persons }}
group by readings.attribute_number
{% endif %}
