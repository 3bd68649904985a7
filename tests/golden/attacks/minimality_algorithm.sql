-- attack_of_minimality_algorithm_11: classes are known to exist because a group had a value in more
--   than 1/2 of its rows; a credibility above 1/2 is a success
-- source:  Wong, Fu, Wang and Pei 2007, Minimality attack, VLDB
-- reads:   attack_of_minimality_algorithm_11_groups, attack_of_minimality_algorithm_11_profiles,
--   and the credibilities listed below, by size of the person's group, groups of the class
--   (2x1,4x1: one of 2 and one of 4 persons), and rows with the value; each is counted exactly and
--   is true if it exceeds 1/2
-- returns: one row per class of at most 2000 rows whose persons are known
--   rows_at_risk   persons whose credibility exceeds 1/2   [persons]
--   certainty      highest credibility of a person and a protected value   [0 to 1]
--   broken         true if a credibility exceeds 1/2; never null
-- nulls:   a null quasi-identifier is a value of its own
with credibilities (profile, value_count, group_size, credibility, too_sure) as (
    values
        ('1x2', 1, 1, cast(0.5 as double), false)
),
group_risks as (
    select
        groups.age, groups.zip,
        groups.class_size,
        groups.group_size * groups.group_count as person_count,
        coalesce(max(credibilities.credibility), 0) as credibility,
        coalesce(bool_or(credibilities.too_sure), false) as too_sure
    from sqlanon.attack_of_minimality_algorithm_11_groups as groups
    left join sqlanon.attack_of_minimality_algorithm_11_profiles as profiles
        on profiles.age is not distinct from groups.age
        and profiles.zip is not distinct from groups.zip
    left join credibilities
        on credibilities.profile = profiles.profile
        and credibilities.value_count = profiles.value_count
        and credibilities.group_size = groups.group_size
    where groups.class_size <= 2000
    group by groups.age, groups.zip, groups.class_size, groups.group_size, groups.group_count
)
select
    group_risks.age, group_risks.zip,
    group_risks.class_size,
    coalesce(
        sum(group_risks.person_count) filter (where group_risks.too_sure),
        0
    ) as rows_at_risk,
    max(group_risks.credibility) as certainty,
    bool_or(group_risks.too_sure) as broken
from group_risks
group by group_risks.age, group_risks.zip, group_risks.class_size
