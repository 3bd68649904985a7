{#- one CTE that names the columns of a working table as the plan does: `source`, a WorkingSource -#}
{{ source.name }} as not materialized (
    select {% for name, column in source.columns %}{{ column | ident }}{{ " as " ~ (name | ident) if name != column }}{{ ", " if not loop.last }}{% endfor %}

    from sqlanon.{{ source.relation }}
),
