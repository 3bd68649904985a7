{% import "source/_most_rows.sql" as limited %}
{% import "source/_drawn_rows.sql" as sample %}
{#- one CTE that reads a table by its reader and names its columns: `table`, a Table -#}
{{ table.name }} as {{ "not materialized " if table.hinted }}(
{% set rows %}
{% if table.plain %}
    select {% for name, action, expression in table.columns %}{{ expression }}{{ ", " if table.row_number or not loop.last }}{% endfor %}{{ "row_number() over () as " ~ (table.row_number | ident) if table.row_number }}
{% else %}
    select
{% if table.row_number %}
        row_number() over () as {{ table.row_number | ident }},
{% endif %}
{% filter indent(4, first=true) %}
{% with columns = table.columns %}{% include "source/_columns.sql" %}{% endwith %}
{% endfilter %}
{% endif %}
{% if table.reader.kind == "query" %}
    from (
{{ table.reader.query }}
    ) as {{ table.alias | ident }}
{% else %}
{% with deep = true, kind = table.reader.kind, path = table.reader.path, one_file = table.reader.one_file, relation = table.reader.relation, options = table.reader.options %}
{% include "source/_from.sql" %}
{% endwith %}
{% if table.alias %}
        as {{ table.alias | ident }}
{% endif %}
{% endif %}
{% for name in table.required %}
    {{ "where" if loop.first else "    and" }} {{ name | ident }} is not null
{% endfor %}
{% endset %}
{% set names = table.columns | map(attribute=0) | list %}
{% set rows = sample.drawn(rows.rstrip(), names, table.person, table.below, "    ") ~ "\n" if table.below else rows %}
{% if table.most_rows %}
{{ limited.chosen(rows.rstrip(), table.columns | map(attribute=0) | list, table.person, table.most_rows, "    ") }}
{% else %}
{{ rows }}{% endif %}
),
