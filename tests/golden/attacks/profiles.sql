-- profiles: the background knowledge, by the classes that it applies to
-- reads:   published_rows, background_weights, sqlanon.table_values_of_disease,
--   sqlanon.published_class_values_of_disease
-- returns: one row per class, profile, and value that occurs in the table or in the profile
--   profile       number of the profile
--   row_count     published rows of the class that have the profile's quasi-identifiers   [rows]
--   value         code of the disease; below 0 if the table has no such value
--   value_count   rows of the class with the value; 0 if there are none   [rows]
--   weight        relative likelihood of the value; null if the profile does not mention it
-- nulls:   a missing value is a value of its own
with published_profiles as (
    select
        published_rows.age as age,
        published_rows.zip as zip,
        profiles.profile,
        count(*) as row_count
    from sqlanon.published_rows
    inner join (
        select distinct profile, label_1, label_2
        from sqlanon.background_weights
    ) as profiles
        on profiles.label_1 is not distinct from cast(published_rows.age as varchar)
        and profiles.label_2 is not distinct from cast(published_rows.zip as varchar)
    group by
        published_rows.age,
        published_rows.zip,
        profiles.profile
),
coded_weights as (
    -- values that the table lacks get codes, too, because they reduce the belief in the others
    select
        weights.profile,
        coalesce(table_values.value, -dense_rank() over (order by weights.text)) as value,
        weights.weight
    from sqlanon.background_weights as weights
    left join sqlanon.table_values_of_disease as table_values
        on table_values.text is not distinct from weights.text
),
possible_values as (
    select profiles.profile, table_values.value
    from (select distinct profile from sqlanon.background_weights) as profiles
    cross join sqlanon.table_values_of_disease as table_values
    union all
    select coded_weights.profile, coded_weights.value
    from coded_weights
    where coded_weights.value < 0
)
select
    published_profiles.age, published_profiles.zip,
    published_profiles.profile,
    published_profiles.row_count,
    possible_values.value,
    coalesce(class_values.value_count, 0) as value_count,
    coded_weights.weight
from published_profiles
inner join possible_values on possible_values.profile = published_profiles.profile
left join sqlanon.published_class_values_of_disease as class_values
    on class_values.age is not distinct from published_profiles.age
    and class_values.zip is not distinct from published_profiles.zip
    and class_values.value = possible_values.value
left join coded_weights
    on coded_weights.profile = possible_values.profile
    and coded_weights.value = possible_values.value
