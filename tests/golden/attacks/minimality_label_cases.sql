-- attack_of_minimality_labels_10_cases: what is counted in each class: its persons by the ends of
--   tight labels that they meet
-- reads:   sqlanon.published_equivalence_classes, attack_of_minimality_labels_10_persons,
--   attack_of_minimality_labels_10_labels, attack_of_minimality_labels_10_classes, label_places
-- returns: one row per class
--   class_size    rows, or persons, of the class
--   profile       persons by the ends that they meet, such as e1+c2.1x4: four persons meet end 1
--                 and are below child 1 of label 2; empty if nobody is in the class
--   missing_ends  ends that nobody of the population meets
--   case_number   equal for classes of the same size, profile and missing ends
-- nulls:   a null quasi-identifier is a value of its own
with label_ends as (
    -- one person of a class has the lowest value of an interval, and one the highest
    select distinct attribute_number, label, value
    from (
        select
            attribute_number,
            label,
            value,
            place,
            min(place) over (partition by attribute_number, label) as first_place,
            max(place) over (partition by attribute_number, label) as last_place
        from sqlanon.attack_of_minimality_labels_10_labels
        where form = 'interval'
    ) as intervals
    where place in (first_place, last_place)
    union all
    -- each value of a set belongs to a person of the class
    select attribute_number, label, value
    from sqlanon.attack_of_minimality_labels_10_labels
    where form = 'set'
),
label_children as (
    -- the labels one level below the label of a class; its rows have at least two of them
    select distinct
        labels.attribute_number,
        labels.label,
        labels.value,
        finer.label as child
    from (
        select attribute_number, label, min(level) as level
        from sqlanon.label_places
        group by attribute_number, label
    ) as lowest_levels
    inner join sqlanon.attack_of_minimality_labels_10_labels as labels
        on labels.attribute_number = lowest_levels.attribute_number
        and labels.label is not distinct from lowest_levels.label
    inner join sqlanon.label_places as finer
        on finer.attribute_number = labels.attribute_number
        and finer.place = labels.place
        and finer.level = lowest_levels.level - 1
    where labels.form = 'ancestor'
),
class_ends as (
    select
        classes.age, classes.zip,
        label_ends.attribute_number,
        label_ends.value
    from sqlanon.published_equivalence_classes as classes
    inner join label_ends
        on label_ends.attribute_number = 1
        and label_ends.label is not distinct from cast(classes.age as varchar)
    union all select
        classes.age, classes.zip,
        label_ends.attribute_number,
        label_ends.value
    from sqlanon.published_equivalence_classes as classes
    inner join label_ends
        on label_ends.attribute_number = 2
        and label_ends.label is not distinct from cast(classes.zip as varchar)
),
candidates as (
    -- persons of the class whose value is the end itself
    select
        located.age, located.zip,
        class_ends.attribute_number,
        class_ends.value,
        located.person,
        located.person_count
    from sqlanon.attack_of_minimality_labels_10_classes as located
    inner join sqlanon.attack_of_minimality_labels_10_persons as persons
        on persons.person = located.person
    inner join class_ends
        on class_ends.age is not distinct from located.age
        and class_ends.zip is not distinct from located.zip
        and class_ends.attribute_number = 1
        and class_ends.value is not distinct from persons.value_1
    union all select
        located.age, located.zip,
        class_ends.attribute_number,
        class_ends.value,
        located.person,
        located.person_count
    from sqlanon.attack_of_minimality_labels_10_classes as located
    inner join sqlanon.attack_of_minimality_labels_10_persons as persons
        on persons.person = located.person
    inner join class_ends
        on class_ends.age is not distinct from located.age
        and class_ends.zip is not distinct from located.zip
        and class_ends.attribute_number = 2
        and class_ends.value is not distinct from persons.value_2
),
numbered_ends as (
    select
        class_ends.*,
        row_number() over (
            partition by class_ends.age, class_ends.zip
            order by class_ends.attribute_number, class_ends.value nulls first
        ) as end_number
    from class_ends
),
person_tokens as (
    select
        candidates.age, candidates.zip,
        candidates.person,
        'e' || numbered_ends.end_number as token
    from candidates
    inner join numbered_ends
        on numbered_ends.age is not distinct from candidates.age
        and numbered_ends.zip is not distinct from candidates.zip
        and numbered_ends.attribute_number = candidates.attribute_number
        and numbered_ends.value is not distinct from candidates.value
    union all
    select
        located.age, located.zip,
        located.person,
        'c1.' || dense_rank() over (
            partition by located.age, located.zip order by label_children.child
        )
    from sqlanon.attack_of_minimality_labels_10_classes as located
    inner join sqlanon.attack_of_minimality_labels_10_persons as persons
        on persons.person = located.person
    inner join label_children
        on label_children.attribute_number = 1
        and label_children.label is not distinct from cast(located.age as varchar)
        and label_children.value is not distinct from persons.value_1
    union all
    select
        located.age, located.zip,
        located.person,
        'c2.' || dense_rank() over (
            partition by located.age, located.zip order by label_children.child
        )
    from sqlanon.attack_of_minimality_labels_10_classes as located
    inner join sqlanon.attack_of_minimality_labels_10_persons as persons
        on persons.person = located.person
    inner join label_children
        on label_children.attribute_number = 2
        and label_children.label is not distinct from cast(located.zip as varchar)
        and label_children.value is not distinct from persons.value_2
),
person_cells as (
    select
        located.age, located.zip,
        located.person,
        located.person_count,
        coalesce(string_agg(person_tokens.token, '+' order by person_tokens.token), '') as tokens
    from sqlanon.attack_of_minimality_labels_10_classes as located
    left join person_tokens
        on person_tokens.age is not distinct from located.age
        and person_tokens.zip is not distinct from located.zip
        and person_tokens.person = located.person
    group by located.age, located.zip, located.person, located.person_count
),
cells as (
    select
        person_cells.age, person_cells.zip,
        person_cells.tokens,
        cast(sum(person_cells.person_count) as bigint) as person_count
    from person_cells
    group by person_cells.age, person_cells.zip, person_cells.tokens
),
class_profiles as (
    select
        cells.age, cells.zip,
        string_agg(cells.tokens || 'x' || cells.person_count, ',' order by cells.tokens) as profile
    from cells
    group by cells.age, cells.zip
),
empty_ends as (
    select
        class_ends.age, class_ends.zip,
        count(*) as missing_ends
    from class_ends
    left join candidates
        on candidates.age is not distinct from class_ends.age
        and candidates.zip is not distinct from class_ends.zip
        and candidates.attribute_number = class_ends.attribute_number
        and candidates.value is not distinct from class_ends.value
    where candidates.person is null
    group by class_ends.age, class_ends.zip
),
profiled_classes as (
    select
        classes.age, classes.zip,
        classes.class_size,
        coalesce(class_profiles.profile, '') as profile,
        coalesce(empty_ends.missing_ends, 0) as missing_ends
    from sqlanon.published_equivalence_classes as classes
    left join class_profiles
        on class_profiles.age is not distinct from classes.age
        and class_profiles.zip is not distinct from classes.zip
    left join empty_ends
        on empty_ends.age is not distinct from classes.age
        and empty_ends.zip is not distinct from classes.zip
)
select
    profiled_classes.*,
    dense_rank() over (order by class_size, profile, missing_ends) as case_number
from profiled_classes
