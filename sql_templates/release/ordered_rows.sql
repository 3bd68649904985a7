{#- inputs: source WorkingSource, hierarchies list[tuple[str, str]], generalized list[LabeledRows], keys list[str], published list[PublishedColumn], kept list[str], masked list[str], at_once int -#}
{% import "_keys.sql" as k %}
-- ordered_rows: what is published, in the order of the classes and of what is kept; a label that all
--   rows have is not here
-- reads:   {{ source.relation }}{{ ", source_combinations" if source.relation == "source_rows" }}, published_classes, and the files or queries below
-- returns: one row per published row
with {% include "release/_working_source.sql" %}

{% with tables = [] %}{% include "release/_labeled_rows.sql" %}{% endwith %}
{% set ordered %}
select
{% for column in published %}
{% set value = "generalized." ~ (column.alias | ident) %}
{% set value = "case when published_classes.place > 0 then " ~ value ~ " else '*' end" if column.alias in masked else value %}
    {{ "cast(" ~ value ~ " as sqlanon." ~ column.type_name ~ ") as " ~ (column.alias | ident) if column.type_name else value ~ (" as " ~ (column.alias | ident) if column.alias in masked) }}{{ "," if at_once or not loop.last }}
{% endfor %}
{% if at_once %}
    generalized.row_count
{% endif %}
from generalized
inner join sqlanon.published_classes
{{ k.join("published_classes", "generalized", keys) -}}
order by {{ k.list("generalized", kept, first=["published_classes.place"]) }}
{% endset %}
{% if not at_once %}
{{ ordered }}
{%- else %}
select {% for column in published %}{{ column.alias | ident }}{{ ", " if not loop.last }}{% endfor %}

from (
    -- a row for each that was counted, {{ at_once | number }} at most at once
    select *, unnest(range(least({{ at_once | number }}, row_count - first_row))) as repetition
    from (
        select *, unnest(range(0, row_count, {{ at_once | number }})) as first_row
        from (
            {{ ordered | trim | indent(12) }}
        ) as ordered_combinations
    ) as counted_rows
) as repeated_rows
{% endif %}
