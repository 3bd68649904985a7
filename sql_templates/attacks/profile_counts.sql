-- profile_counts: whether the background knowledge fits the published table
-- reads:   background_weights, profiles
-- returns: one row
--   profiles   profiles of the background
--   is_found   whether one of them falls into a published class
select
    (
        select count(distinct background_weights.profile)
        from sqlanon.background_weights
    ) as profiles,
    exists (select 1 from sqlanon.profiles) as is_found
