{#- inputs: name str, marginals str, group_count int -#}
-- {{ name }}: united buckets of which an attacker may know more than is counted here
{% if group_count == 1 %}
--   with one column group alone, adding the counts of one published value loses nothing
{% endif %}
-- reads:   {{ marginals }}
-- returns: one row per such bucket
select bucket
from {{ marginals }}
group by bucket
having {{ "max(code_count)" if group_count == 1 else "max(bucket_count)" }} > 1
order by bucket
