-- attack_of_minimality_labels_10_classes: the classes that each person may be in
-- reads:   sqlanon.published_rows, attack_of_minimality_labels_10_persons,
--   attack_of_minimality_labels_10_labels
-- returns: one row per person and class
--   person_count   persons with these quasi-identifiers
-- nulls:   a null is a value of its own
with rows_1 as (
    select distinct
        age,
        zip,
        cast(age as varchar) as text_1,
        cast(zip as varchar) as text_2
    from sqlanon.published_rows
),
numbered_1 as (
    -- rows with equal values in the first attributes share a prefix number, so that they are
    -- found attribute by attribute
    select
        *,
        dense_rank() over (
            order by
                text_1
        ) as prefix_1,
        dense_rank() over (
            order by
                text_1,
                text_2
        ) as prefix_2
    from rows_1
),
located_1_0 as (
    select
        person,
        value_1,
        value_2,
        0 as prefix_0
    from sqlanon.attack_of_minimality_labels_10_persons
),
located_1_1 as (
    -- of the rows found so far, those whose age fits the person
    select
        located.person,
        located.value_2,
        prefixes.prefix_1
    from located_1_0 as located
    inner join sqlanon.attack_of_minimality_labels_10_labels as labels
        on labels.attribute_number = 1
        and labels.value is not distinct from located.value_1
    inner join (
        select distinct 0 as prefix_0, prefix_1, text_1
        from numbered_1
    ) as prefixes
        on prefixes.prefix_0 = located.prefix_0
        and prefixes.text_1 is not distinct from labels.label
),
located_1_2 as (
    -- of the rows found so far, those whose zip fits the person
    select
        located.person,
        prefixes.prefix_2
    from located_1_1 as located
    inner join sqlanon.attack_of_minimality_labels_10_labels as labels
        on labels.attribute_number = 2
        and labels.value is not distinct from located.value_2
    inner join (
        select distinct prefix_1, prefix_2, text_2
        from numbered_1
    ) as prefixes
        on prefixes.prefix_1 = located.prefix_1
        and prefixes.text_2 is not distinct from labels.label
),
matched_1 as (
    select distinct
        numbered.age, numbered.zip,
        located.person
    from located_1_2 as located
    inner join numbered_1 as numbered
        on numbered.prefix_2 = located.prefix_2
)
select
    matched_1.age, matched_1.zip,
    persons.person,
    persons.person_count
from matched_1
inner join sqlanon.attack_of_minimality_labels_10_persons as persons
    on persons.person = matched_1.person
