{#- inputs: round int, promises list[str], attributes list, trees list[int], carried list[str], cut_carried list[str], unit bool, population bool, by_population bool, relaxed bool, cut str, relaxed_quarters list[int], needs_cover bool, model_checks list[ModelCheck], values_counted list[ClassValues], no_end int -#}
{% import "_comments.sql" as comments %}
{% set regions = "sqlanon.regions_of_round_" ~ (round - 1) %}
-- regions_of_round_{{ round }}: regions of the previous round, cut if a cut keeps every promise
{% for promise in promises %}
{% call comments.wrapped("--   promise: ", hang="--     ") %}
{{ promise | comment }}
{% endcall %}
{% endfor %}
-- source:  LeFevre, DeWitt and Ramakrishnan 2006, Mondrian multidimensional k-anonymity
-- reads:   regions_of_round_{{ round - 1 }}, places{{ ", label_places" if trees }}
-- returns: one row per cell of a region that is cut
with {% include "partition/_cuts.sql" %}

{% include "partition/_next_regions.sql" %}
