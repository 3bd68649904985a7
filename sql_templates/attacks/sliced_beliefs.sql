{#- inputs: title str, rows str, tuples str, parts list[Part], companions list[str], sensitive str, attribute str, bucket_key str, companion_keys list[tuple[str, str]], names dict[str, str], unsafe_only bool, l Decimal | None -#}
{% import "_comments.sql" as comments %}
{% set companion_parts = (parts | last).named("parts") %}
-- {{ title }}: p(t, s), how likely each {{ attribute | comment }} is for somebody with the quasi-identifiers t
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, l-diverse slicing and matching buckets
-- reads:   {{ rows }}, {{ tuples }}
-- returns: one row per belief, matching bucket with the other values of the column group, and value
--   belief   number of t; where combinations match one bucket alone and agree in this column
--            group, the first of them, as p(t, s) is the same
--   value    the {{ attribute | comment }}, as text
--   share    p(t, s), above 0   [0 to 1]
-- nulls:   a missing value is a value of its own
with {% include "slicing/_tuple_probabilities.sql" %},
chosen_tuples as (
    select min(matches.tuple) as tuple
    from matches
    inner join tuple_matches on tuple_matches.tuple = matches.tuple
    where tuple_matches.matching_buckets = 1
    group by matches.bucket, matches.companion_part
    union all
    select tuple_matches.tuple
    from tuple_matches
    where tuple_matches.matching_buckets > 1
)
select
    chosen_tuples.tuple as belief,
    matches.bucket as {{ bucket_key | ident }},
{% for column, alias in companion_keys %}
    {{ companion_parts | ident }}.{{ column }} as {{ alias | ident }},
{% endfor %}
    tuple_values.value,
    tuple_values.share / tuple_matches.share_total as share
from chosen_tuples
inner join matches on matches.tuple = chosen_tuples.tuple
inner join {{ companion_parts | ident }}
    on {{ companion_parts | ident }}.part = matches.companion_part
inner join tuple_matches on tuple_matches.tuple = chosen_tuples.tuple
inner join tuple_values on tuple_values.tuple = chosen_tuples.tuple
