{#- inputs: name str, title str, tables list[Table], hierarchies list[tuple[str, str]], generalized list[LabeledRows], placing Placing | None, columns list[tuple[str, str]] -#}
{% import "_keys.sql" as k %}
-- {{ name | comment }}: {{ title | comment }}, with the labels of the candidate
with {% include "release/_labeled_rows.sql" %}
columns_of_population as (
    select {% for name, alias in columns %}{{ alias | ident }}{{ " as " ~ (name | ident) if name != alias }}{{ ", " if not loop.last }}{% endfor %}

    from {{ "generalized" if placing else "generalized_population" }}
)
select columns_of_population.*
from columns_of_population
