{#- the CTEs of a query over labels: `tables` that are read, `hierarchies`, and `generalized` rows -#}
{% for table in tables %}
{% include "release/_source.sql" %}

{% endfor %}
{% for name, sql in hierarchies %}
{{ name | ident }} as (
{{ sql }}
),
{% endfor %}
{% for rows in generalized %}
{% include "release/_generalized.sql" %}

{% endfor %}
{% if placing %}
{% if placing.labeled %}
{% include "release/_placed_combinations.sql" %},
{% endif %}
{% include "release/_generalized_by_pass.sql" %}

{% endif %}
