{#- the rows of published classes in their order: `selected`, SQL of each column, its name here, and its own -#}
with {% include "release/_working_source.sql" %}

{% with tables = [] %}{% include "release/_labeled_rows.sql" %}{% endwith %}
{% set ordered %}
select {% for value, alias, name in selected %}{% set made = alias if at_once else name %}{{ value }}{{ " as " ~ (made | ident) if not value.endswith("." ~ (made | ident)) }}{{ ", " if at_once or not loop.last }}{% endfor %}{{ "generalized.row_count" if at_once }}
from generalized
inner join sqlanon.published_classes
{{ k.join("published_classes", "generalized", keys) -}}
{% if kept is not none %}
order by {{ k.list("generalized", kept, first=["published_classes.place"]) }}
{% endif %}
{% endset %}
{% if not at_once %}
{{ ordered }}
{%- else %}
select {% for _, alias, name in selected %}{{ alias | ident }}{{ " as " ~ (name | ident) if alias != name }}{{ ", " if not loop.last }}{% endfor %}

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
