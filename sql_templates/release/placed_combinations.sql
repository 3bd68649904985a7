{#- inputs: source WorkingSource, hierarchies list[tuple[str, str]], placing Placing -#}
{% import "_keys.sql" as k %}
-- placed_combinations: the labels of each combination in the first pass with {{ placing.size }} or more rows of them
-- reads:   {{ source.relation }}, and the files or queries below
-- returns: one row per combination of quasi-identifiers that a pass places
with {% include "release/_working_source.sql" %}

{% for name, sql in hierarchies %}
{{ name | ident }} as (
{{ sql }}
),
{% endfor %}
{% include "release/_placed_combinations.sql" %}

select *
from placed_combinations
