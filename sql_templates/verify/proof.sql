{#- inputs: name str, model_sql str -#}
-- proof_of_{{ name }}: classes of the publication that break the promise; no row means that it holds
-- returns: one row per failing class
select *
from (
{{ model_sql | indent(4, first=true) }}
) as judged_classes
where not judged_classes.satisfied
