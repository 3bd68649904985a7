{#- inputs: name str, marginals str, group_count int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
merged buckets about which an attacker may know more than is counted here
{% endcall %}
{% if group_count == 1 %}
--   with a single column group, adding the counts of a published value loses nothing
{% endif %}
-- reads:   {{ marginals }}
-- returns: one row per such bucket
select bucket
from {{ marginals }}
group by bucket
having {{ "max(code_count)" if group_count == 1 else "max(bucket_count)" }} > 1
order by bucket
