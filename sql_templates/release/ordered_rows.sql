{#- inputs: source WorkingSource, hierarchies list[tuple[str, str]], generalized list[LabeledRows], keys list[str], kept list[str], at_once int -#}
{% import "_keys.sql" as k %}
-- ordered_rows: the place of the class of every published row, and what is kept of it, in this order
-- reads:   {{ source.relation }}{{ ", source_combinations" if source.relation == "source_rows" }}, published_classes, and the files or queries below
-- returns: one row per published row
with {% include "release/_working_source.sql" %}

{% with tables = [] %}{% include "release/_labeled_rows.sql" %}{% endwith %}
{% set ordered %}
select {{ k.list("generalized", kept, first=["published_classes.place"], last=["generalized.row_count"] if at_once else []) }}
from generalized
inner join sqlanon.published_classes
{{ k.join("published_classes", "generalized", keys) -}}
order by {{ k.list("generalized", kept, first=["published_classes.place"]) }}
{% endset %}
{% if not at_once %}
{{ ordered }}
{%- else %}
select {{ k.list("", kept, first=["place"]) }}
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
