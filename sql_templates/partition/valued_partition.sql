{#- inputs: key str, measures list[tuple[str, str, str]], position str, unit bool, kinds bool -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- valued_partition: ") %}
the information loss of a partition by {% for _, title, _ in measures %}{{ ", " if not loop.first }}{{ title | comment }}{% endfor %}

{% endcall %}
-- reads:   class_cells{{ ", class_labels" if position }}{{ ", bucket_kinds" if kinds }}, and what the measures read
-- returns: one row: the cost by each measure; lower is better
with {% include "partition/_decided_classes.sql" %},
{% for by, _, measure_sql in measures %}
{{ by | ident }} as (
{{ measure_sql | indent(4, first=true) }}
){{ "," if not loop.last }}
{% endfor %}
select
{% for by, _, _ in measures %}
    {{ by | ident }}.cost as {{ by | ident }}{{ "," if not loop.last }}
{% endfor %}
{% for by, _, _ in measures %}
{{ "from" if loop.first else "cross join" }} {{ by | ident }}
{% endfor %}
