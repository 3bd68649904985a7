{#- inputs: promises list[str], attributes list[CutAttribute], trees list[int], carried list[int], cut_carried list[int], unit bool, population bool, by_population bool, relaxed bool, cut str, relaxed_quarters list[int], needs_cover bool, judgements list[Judgement], attributes_counted list[CountedAttribute], no_end int -#}
{% import "_comments.sql" as comments %}
-- regions: the table, cut again and again until no cut keeps every promise on every side
{% for promise in promises %}
{% call comments.wrapped("--   promise: ", hang="--     ") %}
{{ promise | comment }}
{% endcall %}
{% endfor %}
-- source:  LeFevre, DeWitt and Ramakrishnan 2006, Mondrian multidimensional k-anonymity
-- reads:   cells, value_places{{ ", label_places" if trees }}
-- returns: one row per cell and round in which it lies in a region; a region that is not cut again
--          is a class
--   region       number of the region among those of its round; parent: of the one it is cut from
--   attribute_number, first_place, last_place   the cut: the places of which attribute it keeps
with recursive {% include "partition/_regions.sql" %}

select *
from regions
