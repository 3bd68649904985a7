{#- inputs: source WorkingSource, hierarchies list[tuple[str, str]], generalized list[LabeledRows], placing Placing | None, keys list[str], constants list[PublishedColumn], count Counting, model_checks list[ModelCheck], decided bool, masked bool, class_key list[str], pruning bool, alone list, rechecks list, star_checks list, values_counted list, unit bool, linked bool, population bool -#}
{% import "_keys.sql" as k %}
-- published_classes: the classes that keep the promises, in the order of their labels{{ ", and those whose rows are masked" if masked }}
-- reads:   source_combinations, and the files or queries below
-- returns: one row per {{ "class" if masked else "published class" }}
--   place   of the class in that order, from 1{{ "; 0 if its rows are masked" if masked }}   [1]
with {% include "release/_working_source.sql" %}

{% with tables = [] %}{% include "release/_labeled_rows.sql" %}{% endwith %}
{% include "release/_classes.sql" %}
{% include "release/_published_classes.sql" %}
select
    {{ k.list("", keys) }},
{% for column in constants %}
    {{ column.constant }} as {{ column.alias | ident }},
{% endfor %}
    cast(place as integer) as place
from published_classes
