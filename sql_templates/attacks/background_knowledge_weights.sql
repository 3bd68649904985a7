{#- inputs: classes str, profiles str, class_key list[str], attribute str, relative_to str, rho1 Decimal, rho2 Decimal, title str, promise str, source str -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, and {{ profiles }}, the believed likelihood of each value of {{ attribute | comment }}
-- returns: one row per class
--   class_size              rows of the class   [rows]
--   rows_at_risk            rows of values that are disclosed positively (prior < {{ rho1 | number }} and
--                           posterior > {{ rho2 | number }}), and rows of all other values if a value is
--                           disclosed negatively (prior > 1 - {{ rho1 | number }} and posterior
--                           < 1 - {{ rho2 | number }}), within a tolerance of 1e-9   [rows]
--   certainty               largest posterior; 0 if no profile falls into the class   [0 to 1]
--   profiles                profiles that fall into the class
--   inconsistent_profiles   profiles that rule out every value of the class
--   broken                  true if a value is disclosed; never null
-- nulls:   a missing value is a value of its own; a value that the background does not mention
{% if relative_to == "class" %}
--          has weight 0: it is taken never to occur
{% else %}
--          has weight 1: nothing is known about it
{% endif %}
with weighted_values as (
    select
{{ keys.select("profiles", class_key, true) }}        profiles.profile,
        profiles.value,
        profiles.value_count,
        coalesce(profiles.weight, {{ 0 if relative_to == "class" else 1 }}) as weight,
{% if relative_to == "class" %}
        -- f(s|q*) is the mean weight of the value over the class; if it is 0, nobody has the value
        coalesce(
            coalesce(profiles.weight, 0) * sum(profiles.row_count) over same_value
                / nullif(
                    sum(profiles.row_count * coalesce(profiles.weight, 0)) over same_value,
                    0
                ),
            0
        ) as ratio
{% else %}
        coalesce(profiles.weight, 1) as ratio
{% endif %}
    from {{ keys.named(profiles, "profiles") }}
{% if relative_to == "class" %}
    window same_value as (partition by {{ keys.list("profiles", class_key) }}, profiles.value)
{% endif %}
),
beliefs as (
    -- Theorem 3.2: n w / sum of n w; undefined if the sum is 0
    select
{{ keys.select("weighted_values", class_key, true) }}        weighted_values.profile,
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
        partition by {{ keys.list("weighted_values", class_key, last=["weighted_values.profile"]) }}
    )
),
disclosed_values as (
    select
{{ keys.select("beliefs", class_key, true) }}        beliefs.value,
        max(beliefs.value_count) as value_count,
        coalesce(bool_or(
            beliefs.prior < {{ rho1 | number }} - 0.000000001
                and beliefs.posterior > {{ rho2 | number }} + 0.000000001
        ), false) as is_positive,
        coalesce(bool_or(
            beliefs.prior > 1 - {{ rho1 | number }} + 0.000000001
                and beliefs.posterior < 1 - {{ rho2 | number }} - 0.000000001
        ), false) as is_negative
    from beliefs
    group by {{ keys.list("beliefs", class_key, last=["beliefs.value"]) }}
),
counted_values as (
    select
        disclosed_values.*,
        count(*) filter (where disclosed_values.is_negative) over same_class as negative_values
    from disclosed_values
    window same_class as (partition by {{ keys.list("disclosed_values", class_key) }})
),
class_disclosures as (
    select
{{ keys.select("counted_values", class_key, true) }}        sum(counted_values.value_count) filter (
            where counted_values.is_positive
                or counted_values.negative_values
                    > case when counted_values.is_negative then 1 else 0 end
        ) as rows_at_risk,
        bool_or(counted_values.is_positive or counted_values.is_negative) as broken
    from counted_values
    group by {{ keys.list("counted_values", class_key) }}
),
class_profiles as (
    select
{{ keys.select("beliefs", class_key, true) }}        max(beliefs.posterior) as certainty,
        count(distinct beliefs.profile) as profiles,
        count(distinct beliefs.profile) filter (
            where beliefs.posterior is null
        ) as inconsistent_profiles
    from beliefs
    group by {{ keys.list("beliefs", class_key) }}
)
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    least(coalesce(class_disclosures.rows_at_risk, 0), classes.class_size) as rows_at_risk,
    coalesce(class_profiles.certainty, 0) as certainty,
    coalesce(class_profiles.profiles, 0) as profiles,
    coalesce(class_profiles.inconsistent_profiles, 0) as inconsistent_profiles,
    coalesce(class_disclosures.broken, false) as broken
from {{ keys.named(classes, "classes") }}
left join class_disclosures
{{ keys.join("class_disclosures", "classes", class_key) -}}
left join class_profiles
{{ keys.join("class_profiles", "classes", class_key) }}
