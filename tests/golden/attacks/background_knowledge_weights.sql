-- attack_of_background_knowledge_weights_6: a belief below 0.5 rises above 0.9, or one above 0.5
--   falls below 0.1
-- source:  Machanavajjhala et al. 2007, l-diversity, Theorem 3.2
-- reads:   sqlanon.published_equivalence_classes, and sqlanon.profiles, the believed likelihood of
--   each value of disease
-- returns: one row per class
--   class_size              rows of the class   [rows]
--   rows_at_risk            rows of values that are disclosed positively (prior < 0.5 and
--                           posterior > 0.9), and rows of all other values if a value is
--                           disclosed negatively (prior > 1 - 0.5 and posterior
--                           < 1 - 0.9), within a tolerance of 1e-9   [rows]
--   certainty               largest posterior; 0 if no profile falls into the class   [0 to 1]
--   profiles                profiles that fall into the class
--   inconsistent_profiles   profiles that rule out every value of the class
--   broken                  true if a value is disclosed; never null
-- nulls:   a missing value is a value of its own; a value that the background does not mention
--          has weight 1: nothing is known about it
with weighted_values as (
    select
        profiles.age, profiles.zip,
        profiles.profile,
        profiles.value,
        profiles.value_count,
        coalesce(profiles.weight, 1) as weight,
        coalesce(profiles.weight, 1) as ratio
    from sqlanon.profiles as profiles
),
beliefs as (
    -- Theorem 3.2: n w / sum of n w; undefined if the sum is 0
    select
        weighted_values.age, weighted_values.zip,
        weighted_values.profile,
        weighted_values.value,
        weighted_values.value_count,
        weighted_values.weight
            / nullif(sum(weighted_values.weight) over same_profile, 0) as prior,
        weighted_values.value_count * weighted_values.ratio
            / nullif(
                sum(weighted_values.value_count * weighted_values.ratio) over same_profile,
                0
            ) as posterior
    from weighted_values
    window same_profile as (
        partition by weighted_values.age, weighted_values.zip, weighted_values.profile
    )
),
disclosed_values as (
    select
        beliefs.age, beliefs.zip,
        beliefs.value,
        max(beliefs.value_count) as value_count,
        coalesce(bool_or(
            beliefs.prior < 0.5 - 0.000000001
                and beliefs.posterior > 0.9 + 0.000000001
        ), false) as is_positive,
        coalesce(bool_or(
            beliefs.prior > 1 - 0.5 + 0.000000001
                and beliefs.posterior < 1 - 0.9 - 0.000000001
        ), false) as is_negative
    from beliefs
    group by beliefs.age, beliefs.zip, beliefs.value
),
counted_values as (
    select
        disclosed_values.*,
        count(*) filter (where disclosed_values.is_negative) over same_class as negative_values
    from disclosed_values
    window same_class as (partition by disclosed_values.age, disclosed_values.zip)
),
class_disclosures as (
    select
        counted_values.age, counted_values.zip,
        sum(counted_values.value_count) filter (
            where counted_values.is_positive
                or counted_values.negative_values
                    > case when counted_values.is_negative then 1 else 0 end
        ) as rows_at_risk,
        bool_or(counted_values.is_positive or counted_values.is_negative) as broken
    from counted_values
    group by counted_values.age, counted_values.zip
),
class_profiles as (
    select
        beliefs.age, beliefs.zip,
        max(beliefs.posterior) as certainty,
        count(distinct beliefs.profile) as profiles,
        count(distinct beliefs.profile) filter (
            where beliefs.posterior is null
        ) as inconsistent_profiles
    from beliefs
    group by beliefs.age, beliefs.zip
)
select
    classes.age, classes.zip,
    classes.class_size,
    least(coalesce(class_disclosures.rows_at_risk, 0), classes.class_size) as rows_at_risk,
    coalesce(class_profiles.certainty, 0) as certainty,
    coalesce(class_profiles.profiles, 0) as profiles,
    coalesce(class_profiles.inconsistent_profiles, 0) as inconsistent_profiles,
    coalesce(class_disclosures.broken, false) as broken
from sqlanon.published_equivalence_classes as classes
left join class_disclosures
    on class_disclosures.age is not distinct from classes.age
    and class_disclosures.zip is not distinct from classes.zip
left join class_profiles
    on class_profiles.age is not distinct from classes.age
    and class_profiles.zip is not distinct from classes.zip
