{#- inputs: attributes list[tuple[int, str]], is_list bool, is_whole bool -#}
{# as `comparable` of sqlanon/utility/base.py rounds the costs of a search #}
{% macro rounded(cost) -%}
case
    when abs({{ cost }}) >= 10
        then round(
            {{ cost }} + {{ cost }} * 0.000000000023,
            9 - cast(floor(log10(abs({{ cost }}))) as integer)
        )
    else round({{ cost }} + 0.00000000023, 9)
end
{%- endmacro %}
-- chosen_node: the satisfying node of lowest cost; of equal nodes the lowest, then the first
-- reads:   satisfying_nodes, valued_nodes, level_codes
-- returns: one row per quasi-identifier; costs are compared {{ "exactly" if is_whole else "to nine decimals (ten digits)" }}
{% if not is_whole %}
--   a little is added before they are rounded: likely costs, such as multiples of 1/1024, lie just
--   where numbers are rounded up or down
{% endif %}
with ranked_nodes as (
    select
        satisfying_nodes.*,
        row_number() over (
            order by
{% if is_whole %}
                valued_nodes.cost,
{% elif is_list %}
                list_transform(
                    valued_nodes.cost,
                    lambda part: {{ rounded("part") | indent(20) }}
                ),
{% else %}
                {{ rounded("valued_nodes.cost") | indent(16) }},
{% endif %}
{% for number, name in attributes %}
                {{ "+ " if not loop.first }}satisfying_nodes.level_{{ number }}{{ "," if loop.last }}
{% endfor %}
                satisfying_nodes.node
        ) as place
    from sqlanon.satisfying_nodes
    inner join sqlanon.valued_nodes
        on valued_nodes.node = satisfying_nodes.node
),
chosen_levels as (
{% for number, name in attributes %}
    {{ "union all " if not loop.first }}select {{ name | text }} as attribute, level_{{ number }} as level from ranked_nodes where place = 1
{% endfor %}
),
counted_levels as (
    select count(*) as level_count
    from chosen_levels
)
select
    level_codes.attribute_number,
    level_codes.attribute,
    level_codes.level,
    level_codes.word,
    level_codes.mask
from sqlanon.level_codes
inner join chosen_levels
    on chosen_levels.attribute = level_codes.attribute
    and chosen_levels.level = level_codes.level
where (
    select case
        when level_count = 0
            then error(
                'sqlanon: no solution: no lattice node holds the promise within the limits'
            )
        else true
    end
    from counted_levels
)
order by level_codes.attribute_number
