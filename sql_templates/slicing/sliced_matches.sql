{#- inputs: rows str, tuples str, parts list[Part], companions list[str], sensitive str, names dict[str, str] -#}
{% import "_comments.sql" as comments %}
{% set unsafe_only = false %}
{% set l = none %}
-- sliced_matches: the number of buckets that tuples match, and the certainty of a sensitive value
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, l-diverse slicing and matching buckets
{{ comments.line("-- reads:  ", rows ~ ", the sliced rows with their bucket; " ~ tuples ~ ", the distinct combinations of the other columns with their row_count, in the same types") }}
-- returns: one row
--   tuples, unmatched_tuples, several_tuples   all tuples; those that match no bucket; those that
--                              match more than one bucket   [tuples]
--   several_rows               rows of tuples that match more than one bucket   [rows]
--   mean_matching_buckets, most_matching_buckets   over rows that match a bucket   [buckets]
--   largest_probability        p(t, s) of the most likely value of {{ sensitive | comment }}, at most 1/l
-- nulls:   a missing value is a value of its own; the last three are null if no tuple matches
with {% include "slicing/_tuple_probabilities.sql" %}

select
    count(*) as tuples,
    count(*) filter (where tuple_probabilities.tuple is null) as unmatched_tuples,
    count(*) filter (where tuple_probabilities.matching_buckets > 1) as several_tuples,
    coalesce(
        sum(prefixes.row_count) filter (where tuple_probabilities.matching_buckets > 1),
        0
    ) as several_rows,
    cast(sum(prefixes.row_count * tuple_probabilities.matching_buckets) as double)
        / sum(prefixes.row_count) filter (
            where tuple_probabilities.tuple is not null
        ) as mean_matching_buckets,
    max(tuple_probabilities.matching_buckets) as most_matching_buckets,
    max(tuple_probabilities.largest_probability) as largest_probability
from prefixes
left join tuple_probabilities on tuple_probabilities.tuple = prefixes.tuple
