{#- inputs: name str, marginals str, group_count int -#}
{% import "_comments.sql" as comments %}
{{ comments.line("-- " ~ name ~ ":", "merged buckets about which an attacker may know more than is counted here") }}
{% if group_count == 1 %}
--   with a single column group, adding the counts of a published value loses nothing
{% endif %}
-- reads:   {{ marginals }}
-- returns: one row per such bucket: one with different values that were merged, because somebody
--   fits both{{ ", or with values of several buckets" if group_count > 1 }}
select bucket
from {{ marginals }}
group by bucket
having max(code_count) > 1{{ " or max(bucket_count) > 1" if group_count > 1 }}
order by bucket
