-- published_classes: the classes that keep the promises, in the order of their labels
-- reads:   source_combinations, and the files or queries below
-- returns: one row per published class
--   place   of the class in that order, from 1   [1]
create table sqlanon.published_classes as
with source as not materialized (
    select sex, born, zip, marital_status, counted_1 as diagnosis, row_count
    from sqlanon.source_combinations
),
hierarchy_of_born as (
    -- every value once, because many rows repeat few values
    select value, cast(year(cast(value as timestamp)) // 10 * 10 as varchar) || 's' as label
    from (
        select distinct born as value
        from sqlanon.source_combinations
    ) as known_values
),
hierarchy_of_zip as (
    -- every value once, because many rows repeat few values
    select value, substring(value, 1, greatest(length(value) - 2, 0))
            || repeat('*', least(2, length(value))) as label
    from (
        select distinct zip as value
        from sqlanon.source_combinations
    ) as known_values
),
generalized as not materialized (
    select
        source.sex,
        hierarchy_of_born.label as born,
        hierarchy_of_zip.label as zip,
        '*' as marital_status,
        source.diagnosis, source.row_count
    from source
    left join hierarchy_of_born on hierarchy_of_born.value = source.born
    left join hierarchy_of_zip on hierarchy_of_zip.value = source.zip
),
class_values_of_diagnosis as (
    select
        sex, born, zip, diagnosis as value,
        cast(sum(generalized.row_count) as bigint) as value_count
    from generalized
    group by sex, born, zip, diagnosis
),
classes as (
    select sex, born, zip, cast(sum(value_count) as bigint) as class_size
    from class_values_of_diagnosis
    group by sex, born, zip
),
k_anonymity as (
    select sex, born, zip, class_size, class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    select sex, born, zip, count(*) as diversity, count(*) >= 2 as satisfied
    from class_values_of_diagnosis as class_values
    group by sex, born, zip
),
published_classes as (
    select sex, born, zip, row_number() over (order by sex, born, zip) as place
    from (
        select sex, born, zip from k_anonymity where satisfied
        intersect
        select sex, born, zip from l_diversity where satisfied
    ) as satisfied_classes
)
select
    sex, born, zip,
    '*' as marital_status,
    cast(place as integer) as place
from published_classes;

-- label_of_sex: the published values of sex, which are written by their numbers
-- reads:   published_classes
-- returns: one row per value, in their order
create type sqlanon.label_of_sex as enum (
select distinct sex
from sqlanon.published_classes
where sex is not null
order by sex
);

-- label_of_born: the published values of born, which are written by their numbers
-- reads:   published_classes
-- returns: one row per value, in their order
create type sqlanon.label_of_born as enum (
select distinct born
from sqlanon.published_classes
where born is not null
order by born
);

-- label_of_zip: the published values of zip, which are written by their numbers
-- reads:   published_classes
-- returns: one row per value, in their order
create type sqlanon.label_of_zip as enum (
select distinct zip
from sqlanon.published_classes
where zip is not null
order by zip
);

-- label_of_marital_status: the published values of marital_status, which are written by their
--   numbers
-- reads:   published_classes
-- returns: one row per value, in their order
create type sqlanon.label_of_marital_status as enum (
select distinct marital_status
from sqlanon.published_classes
where marital_status is not null
order by marital_status
);

-- ordered_rows: the place of the class of every published row, and what is kept of it, in this
--   order
-- reads:   source_rows, source_combinations, published_classes, and the files or queries below
-- returns: one row per published row
create table sqlanon.ordered_rows as
with source as not materialized (
    select sex, born, zip, marital_status, diagnosis, cost
    from sqlanon.source_rows
),
hierarchy_of_born as (
    -- every value once, because many rows repeat few values
    select value, cast(year(cast(value as timestamp)) // 10 * 10 as varchar) || 's' as label
    from (
        select distinct born as value
        from sqlanon.source_combinations
    ) as known_values
),
hierarchy_of_zip as (
    -- every value once, because many rows repeat few values
    select value, substring(value, 1, greatest(length(value) - 2, 0))
            || repeat('*', least(2, length(value))) as label
    from (
        select distinct zip as value
        from sqlanon.source_combinations
    ) as known_values
),
generalized as (
    select
        source.sex,
        hierarchy_of_born.label as born,
        hierarchy_of_zip.label as zip,
        source.diagnosis, source.cost
    from source
    left join hierarchy_of_born on hierarchy_of_born.value = source.born
    left join hierarchy_of_zip on hierarchy_of_zip.value = source.zip
)
select published_classes.place, generalized.diagnosis, generalized.cost
from generalized
inner join sqlanon.published_classes
    on published_classes.sex is not distinct from generalized.sex
    and published_classes.born is not distinct from generalized.born
    and published_classes.zip is not distinct from generalized.zip
order by published_classes.place, generalized.diagnosis, generalized.cost;

-- release: what plan.yml publishes of patients.csv, in the order of the published values
--   sex             as in the source
--   born            by decade, such as 1980s
--   zip             2 characters masked from the right, such as 123**
--   marital_status  one value for all
--   diagnosis, cost as in the source
--   not published   patient_id, name (identifiers); rows of classes that break a promise
--   decides         which rows are kept: sex, born, zip, marital_status, diagnosis
--   promise         every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise         every class holds at least 2 different values of diagnosis
copy (
with labels as (
    -- by place, in lists: a join would not keep the order of the rows
    select
        list(cast(sex as sqlanon.label_of_sex) order by place) as sex,
        list(cast(born as sqlanon.label_of_born) order by place) as born,
        list(cast(zip as sqlanon.label_of_zip) order by place) as zip,
        list(
            cast(marital_status as sqlanon.label_of_marital_status) order by place
        ) as marital_status
    from sqlanon.published_classes
)
select
    labels.sex[ordered_rows.place] as sex,
    labels.born[ordered_rows.place] as born,
    labels.zip[ordered_rows.place] as zip,
    labels.marital_status[ordered_rows.place] as marital_status,
    ordered_rows.diagnosis,
    ordered_rows.cost
from sqlanon.ordered_rows
cross join labels
) to 'target/plan/staged.parquet' (format parquet);
