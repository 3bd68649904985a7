{#- inputs: rows str, tuples str, parts list[Part], companions list[str], sensitive str, names dict[str, str], l Decimal -#}
{% import "_comments.sql" as comments %}
{% set unsafe_only = true %}
-- proof_of_sliced_diversity: tuples whose sensitive value is known with a probability above 1 / {{ l | number }}
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, l-diverse slicing: p(t, s) <= 1/l for
--   all t and s
{{ comments.line("-- reads:  ", rows ~ ", the sliced rows with their bucket; " ~ tuples ~ ", the distinct combinations of the other columns with their row_count, in the same types") }}
-- returns: one row per tuple that breaks the promise, within a tolerance of 1e-9; no row means
--   that it holds
--   matching_buckets      buckets with all parts of the tuple   [buckets]
--   largest_probability   p(t, s) of the most likely value of {{ sensitive | comment }}
-- nulls:   a missing value is a value of its own. A tuple that matches no bucket has no p(t, s)
--   and does not break the promise
with {% include "slicing/_tuple_probabilities.sql" %}

select
{% for part in parts %}
{% for name in part.columns %}
    {{ part.named("parts") | ident }}.{{ name | ident }},
{% endfor %}
{% endfor %}
    prefixes.row_count,
    tuple_probabilities.matching_buckets,
    tuple_probabilities.largest_probability
from tuple_probabilities
inner join prefixes on prefixes.tuple = tuple_probabilities.tuple
{% for part in parts %}
inner join {{ part.named("parts") | ident }}
    on {{ part.named("parts") | ident }}.{{ names.part | ident }} = prefixes.{{ part.named("part") | ident }}
{% endfor %}
where tuple_probabilities.largest_probability > 1.0 / {{ l | number }} + 0.000000001
order by prefixes.tuple
