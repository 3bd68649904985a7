{#- inputs: title str, relation str, condition str -#}
-- {{ title }}: the number of rows{{ " for which " ~ condition if condition }}
-- reads:   {{ relation }}
-- returns: one row
select count(*)
from {{ relation }}
{% if condition %}
where {{ condition }}
{% endif %}
