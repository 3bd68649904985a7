{#- inputs: promises list[str], attributes list[CutAttribute], trees list[int], carried list[str], cut_carried list[str], unit bool, population bool, by_population bool, relaxed bool, cut str, relaxed_quarters list[int], needs_cover bool, model_checks list[ModelCheck], values_counted list[ClassValues], no_end int -#}
{% import "_comments.sql" as comments %}
{% import "partition/_places.sql" as places %}
-- regions: the table, cut repeatedly until no cut keeps every promise on every side
{% for promise in promises %}
{% call comments.wrapped("--   promise: ", hang="--     ") %}
{{ promise | comment }}
{% endcall %}
{% endfor %}
-- source:  LeFevre, DeWitt and Ramakrishnan 2006, Mondrian multidimensional k-anonymity
-- reads:   cells, places{{ ", label_places" if trees }}
-- returns: one row per cell, round, and region; a region that is not cut again is a class
--   region       number of the region within its round; parent: number of the region that was cut
--   attribute_number, first_place, last_place   the cut: its attribute, and the places on this side
{% call comments.wrapped("--     attributes: ", hang="--     ") %}
{{ places.numbers(attributes) }}{% endcall %}
with recursive {% include "partition/_regions.sql" %}

select *
from regions
