{#- inputs: promises list[str] and those of search/_classes.sql and search/_decided_classes.sql, frequency_set str, node_table str | None, chosen bool, nodes list, roll_up None, subsets bool, attributes_counted list[CountedAttribute], carried list[int], unit bool, population bool, words int, masked bool, class_key list[str], judgements list[Judgement], pruning bool, alone list[Judgement], rechecks list[Judgement], star_judgements list[Judgement] -#}
{% import "_comments.sql" as comments %}
-- decided_classes: the equivalence classes of the chosen node, and whether they are published
{% for promise in promises %}
{% call comments.wrapped("--   promise: ", hang="--     ") %}
{{ promise | comment }}
{% endcall %}
{% endfor %}
-- reads:   frequency_set, chosen_node
-- returns: one row per class
--   class_1 ..  the class: key & mask, the part of the packed key at the node's levels
--   class_size  source rows   [rows]
--   satisfied   true if every promise holds for the class; never null
--   published   true if its rows are published{{ " with their labels; all others with '*'" if masked }}
with {% include "search/_classes.sql" %},
{% include "search/_decided_classes.sql" %}

select
{% for word in range(1, words + 1) %}
    class_{{ word }},
{% endfor %}
    class_size,
    satisfied,
    published
from decided_classes
