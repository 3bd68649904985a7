-- profile_counts: whether the background knowledge fits the published table
-- reads:   background_weights, profiles
-- returns: one row
--   profiles        profiles of the background
--   found_profiles  profiles that fall into a published class
select
    (
        select count(distinct background_weights.profile)
        from sqlanon.background_weights
    ) as profiles,
    (select count(distinct profiles.profile) from sqlanon.profiles) as found_profiles
