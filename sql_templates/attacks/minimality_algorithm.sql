{#- inputs: title str, class_key list[str], groups str, profiles str, credibilities list[tuple[str, int, int, float, bool]], l Decimal, most_rows int, promise str, source str -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ groups }}, {{ profiles }}, and the credibilities listed below, by size of the person's group, groups of the class (2x1,4x1: one of 2 and one of 4 persons), and rows with the value; each is counted exactly and is true if it exceeds 1/{{ l | number }}
-- returns: one row per class of at most {{ most_rows }} rows whose persons are known
--   rows_at_risk   persons whose credibility exceeds 1/{{ l | number }}   [persons]
--   certainty      highest credibility of a person and a protected value   [0 to 1]
--   broken         true if a credibility exceeds 1/{{ l | number }}; never null
-- nulls:   a null quasi-identifier is a value of its own
with credibilities (profile, value_count, group_size, credibility, too_sure) as (
{% if credibilities %}
    values
{% for profile, value_count, group_size, credibility, too_sure in credibilities %}
        ({{ profile | text }}, {{ value_count }}, {{ group_size }}, cast({{ credibility | number }} as double), {{ "true" if too_sure else "false" }}){{ "," if not loop.last }}
{% endfor %}
{% else %}
    select '', cast(null as integer), cast(null as integer), cast(null as double), false
    where false
{% endif %}
),
group_risks as (
    select
{{ keys.select("groups", class_key, true) }}        groups.class_size,
        groups.group_size * groups.group_count as person_count,
        coalesce(max(credibilities.credibility), 0) as credibility,
        coalesce(bool_or(credibilities.too_sure), false) as too_sure
    from sqlanon.{{ groups }} as groups
    left join sqlanon.{{ profiles }} as profiles
{{ keys.join("profiles", "groups", class_key, true) }}    left join credibilities
        on credibilities.profile = profiles.profile
        and credibilities.value_count = profiles.value_count
        and credibilities.group_size = groups.group_size
    where groups.class_size <= {{ most_rows }}
    group by {{ keys.list("groups", class_key, last=["groups.class_size", "groups.group_size", "groups.group_count"]) }}
)
select
{{ keys.select("group_risks", class_key) }}    group_risks.class_size,
    coalesce(
        sum(group_risks.person_count) filter (where group_risks.too_sure),
        0
    ) as rows_at_risk,
    max(group_risks.credibility) as certainty,
    bool_or(group_risks.too_sure) as broken
from group_risks
group by {{ keys.list("group_risks", class_key, last=["group_risks.class_size"]) }}
