{#- a select: the classes of `combinations`, by the quasi-identifiers; population from `population_classes` -#}
{% if population %}
select
{% for name, alias in quasi_identifiers %}
    counted_classes.{{ alias | ident }},
{% endfor %}
    counted_classes.class_size,
    coalesce(population_classes.population_size, 0) as population_size
from (
{% endif %}
{% filter indent(4 if population else 0, first=true) %}
select
{% for name, alias in quasi_identifiers %}
    {{ alias | ident }},
{% endfor %}
    {{ "count(distinct person)" if unit else "cast(sum(row_count) as bigint)" }} as class_size
from {{ combinations }}
group by
{% for name, alias in quasi_identifiers %}
    {{ alias | ident }}{{ "," if not loop.last }}
{% endfor %}
{% endfilter %}
{% if population %}
) as counted_classes
left join sqlanon.population_classes as population_classes
{% for name, alias in quasi_identifiers %}
    {{ "on" if loop.first else "and" }} population_classes.{{ alias | ident }} is not distinct from counted_classes.{{ alias | ident }}
{% endfor %}
{% endif %}
