{#- inputs: words int, promises list[str], masked bool and those of search/_decided_classes.sql, class_key list[str], judgements list[dict], pruned list[str], pruning bool, star_judgements list[dict] -#}
-- decided_classes: which classes are published, and which suppressed
{% for promise in promises %}
--   promise: {{ promise | comment }}
{% endfor %}
-- reads:   classes
-- returns: one row per class
--   satisfied   the class holds every promise, never null
--   published   its rows are published{{ " with their labels; all others with '*'" if masked }}
with classes as (
    -- all classes belong to one lattice node, number 0
    select
        0 as node,
{% for word in range(1, words + 1) %}
        class_{{ word }},
{% endfor %}
        class_size
    from sqlanon.classes
),
{% for number, name in star_values_of %}
class_values_{{ number }} as (
    select 0 as node, *
    from sqlanon.class_values_{{ number }}
),
{% endfor %}
{% include "search/_decided_classes.sql" %}

select
{% for word in range(1, words + 1) %}
    class_{{ word }},
{% endfor %}
    class_size,
    satisfied,
    published
from decided_classes
