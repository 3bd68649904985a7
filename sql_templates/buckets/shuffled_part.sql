{#- inputs: part Part, rows str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ part.shuffled ~ ": ") %}
{{ part.columns | join(", ") | comment }} of the rows of each bucket, in the order of a key
{% endcall %}
-- reads:   {{ rows }}
-- returns: one row per source row, by bucket
--   combination   number of the distinct row that they are of
select combination, bucket
from sqlanon.{{ rows }}
order by bucket, {{ part.key | ident }}
