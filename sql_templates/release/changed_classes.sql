{#- inputs: class_key list[str], aggregated list[Published], coded list[Published], labels list[Published], rows str, classes bool, least int, most_names int, person str -#}
{% import "_keys.sql" as k %}
{% set limit = "rows" %}
-- changed_classes: the published classes with one value of each column of which one is published
-- reads:   {{ rows }}, published_classes
-- returns: one row per published class
--   place        of the class in the order of labels, from 1         [1]
{% if class_key %}
--   shown_place  of what it publishes, in the order of the values   [1]
{% endif %}
with {% include "release/_changed_classes.sql" %}

select {{ k.list("shown_classes", labels | map(attribute="alias") | list + aggregated | map(attribute="alias") | list, first=["shown_classes.place"]) }}{{ ", dense_rank() over (order by " ~ k.list("shown_classes", class_key) ~ ") as shown_place" if class_key }}
from shown_classes
