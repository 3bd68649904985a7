{#- inputs: cells str, nested bool, attributes list[CutAttribute], trees list[int], carried list[str], cut_carried list[str], unit bool, population bool, by_population bool, relaxed bool, cut str, relaxed_quarters list[int], needs_cover bool, model_checks list[ModelCheck], cut_model_checks list[ModelCheck], values_counted list[ClassValues], cut_values_counted list[ClassValues], cut_needs_cover bool, no_end int, kinds bool -#}
-- judged_partition: whether the classes of a partition keep the promises
-- reads:   {{ "cells, places" ~ (", label_places" if trees else "") if nested else "class_cells" }}{{ ", bucket_kinds" if kinds }}{{ ", cells" if population and needs_cover and not nested }}
-- returns: one row
--   classes, failing_classes        all classes, and those that break a promise   [classes]
--   smallest_class, failing_rows    size of the smallest class and of all failing ones   [{{ "persons" if unit else "rows" }}]
--   rounds    rounds of cuts, if the cuts are made here
--   covers    true if every person who must be in a class is in one
{% set regions = "regions" %}
{% if nested %}
with recursive {% with model_checks = cut_model_checks, values_counted = cut_values_counted, needs_cover = cut_needs_cover %}{% include "partition/_regions.sql" %}{% endwith %},
class_cells as (
    -- one row per class and cell: the regions that are not cut again
{% filter indent(4, first=true) %}{% include "partition/_class_cells.sql" %}{% endfilter %}

),
{% else %}
with {% endif %}{% set counted_from = cells %}{% set class_key = ["class"] %}{% include "partition/_judged_classes.sql" %}
judged_classes as (
    -- one row per class: whether it holds every promise
    select
        classes.class,
{% for model_check in model_checks %}
        {{ "    and " if not loop.first }}coalesce({{ model_check.name }}.satisfied, false){{ " as satisfied" if loop.last }}
{% endfor %}
    from classes
{% for model_check in model_checks %}
    left join {{ model_check.name }} on {{ model_check.name }}.class = classes.class
{% endfor %}
)
select
    count(*) as classes,
    min(classes.class_size) as smallest_class,
    count(*) filter (where not judged_classes.satisfied) as failing_classes,
    coalesce(
        sum(classes.class_size) filter (where not judged_classes.satisfied),
        0
    ) as failing_rows,
{% if nested %}
    (select max(round) from regions) as rounds,
{% else %}
    null as rounds,
{% endif %}
{% if population and needs_cover %}
    sum(classes.population_size) = (select sum(population_count) from sqlanon.cells) as covers
{% else %}
    true as covers
{% endif %}
from classes
inner join judged_classes on judged_classes.class = classes.class{{ "\ninner join sqlanon.bucket_kinds on bucket_kinds.class = classes.class" if kinds }}
