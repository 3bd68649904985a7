{#- inputs: unit bool -#}
{% set size = "members" if unit else "class_size" %}
-- placed_class_sizes: how many classes are published, and how large they are
-- reads:   placed_classes
-- returns: one row
--   class_count      published classes                        [classes]
--   smallest_class   size of the smallest one; null if there is none   [{{ "persons" if unit else "rows" }}]
--   class_sizes      sum of their sizes                       [{{ "persons" if unit else "rows" }}]
--   published_rows   their rows                               [rows]
--   all_rows         rows of all classes                      [rows]
--   failing_rows     those that a pass places in classes that are not published   [rows]
select
    count(*) filter (where published) as class_count,
    min({{ size }}) filter (where published) as smallest_class,
    cast(coalesce(sum({{ size }}) filter (where published), 0) as bigint) as class_sizes,
    cast(coalesce(sum(class_size) filter (where published), 0) as bigint) as published_rows,
    cast(sum(class_size) as bigint) as all_rows,
    cast(coalesce(sum(class_size) filter (where class > 0 and not published), 0) as bigint)
        as failing_rows
from sqlanon.placed_classes
