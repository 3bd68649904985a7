{#- CTE `lone_cells`: for every set of columns the combinations that one row has, or one person -#}
{% set all = column_names | length %}
lone_cells as (
{% if shows_sets %}
    -- members: the columns of the set, a bit each, the first is the highest
{% endif %}
{% for numbers in sets %}
{% set of = namespace(bits=0, names=[]) %}
{% for number in numbers %}
{% set of.bits = of.bits + 2 ** (all - number) %}
{% set of.names = of.names + [column_names[number - 1]] %}
{% endfor %}
    {{ "union all " if not loop.first }}select {{ of.bits ~ " as members, " if shows_sets }}{{ lone }} from {{ counted_from }}
    group by {{ scope | join(", ") ~ ", " if scope }}{{ of.names | join(", ") }} having {{ counted }} = 1
{% endfor %}
)
