{#- inputs: name str, title str, tables list[Table], hierarchies list[tuple[str, str]], generalized list[Generalized], columns list[tuple[str, str]] -#}
-- {{ name | comment }}: {{ title | comment }}, with the labels of the candidate
with {% for table in tables %}
{% include "release/_source.sql" %}

{% endfor %}
{% for name, sql in hierarchies %}
{{ name | ident }} as (
{{ sql }}
),
{% endfor %}
{% for rows in generalized %}
{% include "release/_generalized.sql" %}

{% endfor %}
columns_of_population as (
    select {% for name, alias in columns %}{{ alias | ident }}{{ " as " ~ (name | ident) if name != alias }}{{ ", " if not loop.last }}{% endfor %}

    from generalized_population
)
select columns_of_population.*
from columns_of_population
