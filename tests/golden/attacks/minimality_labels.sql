-- attack_of_minimality_labels_10_bounds: a person who alone has an extreme value of a tight label
--   must be in the table
-- source:  Wong, Fu, Wang and Pei 2007, Minimality attack, VLDB
-- reads:   sqlanon.published_equivalence_classes, attack_of_minimality_labels_10_persons,
--   attack_of_minimality_labels_10_labels, attack_of_minimality_labels_10_classes, label_places
-- returns: one row per class
--   class_size      rows, or persons, of the class
--   rows_at_risk    persons who are certainly in the table, because nobody else in the
--                   population fits what a label says about a row; the whole class if nobody
--                   else fits it
--   certainty       lower bound of the probability of a person: class_size / persons of the
--                   population in the class, or 1 / persons at an end of a label   [0 to 1]
--   broken          true if a person is certainly in the table; never null
--   missing_ends    ends of labels and rows of the class that fit no person of the population
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
end_counts as (
    select
        class_ends.age, class_ends.zip,
        coalesce(sum(candidates.person_count), 0) as person_count,
        min(candidates.person) as person
    from class_ends
    left join candidates
        on candidates.age is not distinct from class_ends.age
        and candidates.zip is not distinct from class_ends.zip
        and candidates.attribute_number = class_ends.attribute_number
        and candidates.value is not distinct from class_ends.value
    group by class_ends.age, class_ends.zip, class_ends.attribute_number, class_ends.value
    union all
    -- at least one person of the class is outside the child label with the most persons
    select
        ranked_children.age, ranked_children.zip,
        coalesce(
            sum(ranked_children.person_count) filter (where ranked_children.preference > 1),
            0
        ),
        min(ranked_children.person) filter (where ranked_children.preference > 1)
    from (
        select
            children.*,
            row_number() over (
                partition by children.age, children.zip, children.attribute_number
                order by children.person_count desc, children.child
            ) as preference
        from (
            select
                located.age, located.zip,
                label_children.attribute_number,
                label_children.child,
                sum(located.person_count) as person_count,
                min(located.person) as person
            from sqlanon.attack_of_minimality_labels_10_classes as located
            inner join sqlanon.attack_of_minimality_labels_10_persons as persons
                on persons.person = located.person
            inner join label_children
                on label_children.attribute_number = 1
                and label_children.label
                    is not distinct from cast(located.age as varchar)
                and label_children.value is not distinct from persons.value_1
            group by located.age, located.zip, label_children.attribute_number, label_children.child
            union all select
                located.age, located.zip,
                label_children.attribute_number,
                label_children.child,
                sum(located.person_count) as person_count,
                min(located.person) as person
            from sqlanon.attack_of_minimality_labels_10_classes as located
            inner join sqlanon.attack_of_minimality_labels_10_persons as persons
                on persons.person = located.person
            inner join label_children
                on label_children.attribute_number = 2
                and label_children.label
                    is not distinct from cast(located.zip as varchar)
                and label_children.value is not distinct from persons.value_2
            group by located.age, located.zip, label_children.attribute_number, label_children.child
        ) as children
    ) as ranked_children
    group by ranked_children.age, ranked_children.zip, ranked_children.attribute_number
),
class_ends_counted as (
    select
        end_counts.age, end_counts.zip,
        min(end_counts.person_count) filter (where end_counts.person_count > 0) as fewest,
        count(distinct end_counts.person) filter (
            where end_counts.person_count = 1
        ) as known_persons,
        count(*) filter (where end_counts.person_count = 0) as missing_ends
    from end_counts
    group by end_counts.age, end_counts.zip
),
class_persons as (
    select
        located.age, located.zip,
        sum(located.person_count) as person_count
    from sqlanon.attack_of_minimality_labels_10_classes as located
    group by located.age, located.zip
)
select
    classes.age, classes.zip,
    classes.class_size,
    case
        when class_persons.person_count <= classes.class_size then classes.class_size
        else coalesce(class_ends_counted.known_persons, 0)
    end as rows_at_risk,
    greatest(
        least(cast(classes.class_size as double) / class_persons.person_count, 1),
        coalesce(cast(1 as double) / class_ends_counted.fewest, 0)
    ) as certainty,
    coalesce(
        class_persons.person_count <= classes.class_size or class_ends_counted.known_persons > 0,
        false
    ) as broken,
    coalesce(class_ends_counted.missing_ends, 0)
        + greatest(
            classes.class_size - coalesce(class_persons.person_count, 0),
            0
        ) as missing_ends
from sqlanon.published_equivalence_classes as classes
left join class_persons
    on class_persons.age is not distinct from classes.age
    and class_persons.zip is not distinct from classes.zip
left join class_ends_counted
    on class_ends_counted.age is not distinct from classes.age
    and class_ends_counted.zip is not distinct from classes.zip
