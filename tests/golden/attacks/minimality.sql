-- attack_of_minimality_algorithm_11_profiles: what is counted in each class: its groups and the
--   rows with a value
-- reads:   attack_of_minimality_algorithm_11_groups, sqlanon.published_class_values_of_disease
-- returns: one row per class of at most 2000 rows, and protected value
--   profile      group sizes with the number of groups of each size, such as 2x1,4x1
--   value_count  rows with the value
with class_groups as (
    select
        groups.age, groups.zip,
        groups.class_size,
        string_agg(
            groups.group_size || 'x' || groups.group_count,
            ',' order by groups.group_size
        ) as profile
    from sqlanon.attack_of_minimality_algorithm_11_groups as groups
    where groups.class_size <= 2000
    group by groups.age, groups.zip, groups.class_size
)
select
    class_groups.age, class_groups.zip,
    class_groups.class_size,
    class_groups.profile,
    class_values.value,
    class_values.value_count
from class_groups
inner join sqlanon.published_class_values_of_disease as class_values
    on class_values.age is not distinct from class_groups.age
    and class_values.zip is not distinct from class_groups.zip
