{#- inputs: relation str, columns list[tuple[str, str]], class_key list[str], household str -#}
{% import "_keys.sql" as keys %}
-- household_risk: the risk that some member of a household is found, members being independent
-- source:  Franconi and Polettini, PSD 2004
-- reads:   {{ relation }}, individual_risks
-- returns: one row
--   household_count      households   [households]
--   highest_risk         1 - the product of 1 - risk over the members of one   [0 to 1]
--   expected_households  households of which a member is expected to be found   [households]
-- nulls:   rows without a household are one each
with members as (
    select
{% for name, alias in columns %}
        {{ name | ident }} as {{ alias | ident }},
{% endfor %}
        {{ household | ident }} as household,
        case when {{ household | ident }} is null then row_number() over () end as alone
    from {{ relation }}
),
households as (
    select 1 - product(1 - individual_risks.individual_risk) as risk
    from members
    inner join sqlanon.individual_risks
{{ keys.join("individual_risks", "members", class_key, true) }}    group by members.household, members.alone
)
select
    count(*) as household_count,
    max(risk) as highest_risk,
    sum(risk) as expected_households
from households
