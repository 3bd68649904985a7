{#- inputs: unit bool, population bool, model_checks list[ModelCheck], values_counted list[ClassValues], kinds bool -#}
-- bucket_distances: how far the distribution of values in each bucket is from the table's
-- reads:   class_cells, {{ "bucket_kinds, " if kinds }}{{ values_counted[0].column.named("table_values") }}
-- returns: one row per bucket
--   rows, distinct_values   rows and distinct values of {{ values_counted[0].column.name | comment }}
--   distance   earth mover's distance to the table with equal ground distances   [0 to 1]
with {% set counted_from = "sqlanon.class_cells" %}{% set class_key = ["class"] %}{% include "partition/_judged_classes.sql" %}
distinct_values as (
    -- one row per bucket
    select class, count(*) as distinct_values
    from {{ values_counted[0].name }}
    group by class
)
select
    {{ "bucket_kinds.bucket" if kinds else "classes.class as bucket" }},
    classes.class_size as rows,
    distinct_values.distinct_values,
    {{ model_checks[0].name }}.distance
from classes
inner join distinct_values on distinct_values.class = classes.class
inner join {{ model_checks[0].name }} on {{ model_checks[0].name }}.class = classes.class{{ "\ninner join sqlanon.bucket_kinds on bucket_kinds.class = classes.class" if kinds }}
