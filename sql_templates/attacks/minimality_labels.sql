{#- inputs: title str, classes str, class_key list[str], quasi_identifiers list[tuple[str, str]], persons str, labels str, located str, trees bool, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ") %}
{{ classes }}, {{ persons }}, {{ labels }}, {{ located }}{{ ", label_places" if trees }}
{% endcall %}
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
with {% include "attacks/_label_ends.sql" %},
end_counts as (
    select
{{ keys.select("class_ends", class_key, true) }}        coalesce(sum(candidates.person_count), 0) as person_count,
        min(candidates.person) as person
    from class_ends
    left join candidates
{{ keys.join("candidates", "class_ends", class_key, true) }}        and candidates.attribute_number = class_ends.attribute_number
        and candidates.value is not distinct from class_ends.value
    group by {{ keys.list("class_ends", class_key, last=["class_ends.attribute_number", "class_ends.value"]) }}
{% if trees %}
    union all
    -- at least one person of the class is outside the child label with the most persons
    select
{{ keys.select("ranked_children", class_key, true) }}        coalesce(
            sum(ranked_children.person_count) filter (where ranked_children.preference > 1),
            0
        ),
        min(ranked_children.person) filter (where ranked_children.preference > 1)
    from (
        select
            children.*,
            row_number() over (
                partition by {{ keys.list("children", class_key, last=["children.attribute_number"]) }}
                order by children.person_count desc, children.child
            ) as preference
        from (
{% for name, alias in quasi_identifiers %}
            {{ "union all " if not loop.first }}select
                {{ keys.list("located", class_key) }},
                label_children.attribute_number,
                label_children.child,
                sum(located.person_count) as person_count,
                min(located.person) as person
            from sqlanon.{{ located }} as located
            inner join sqlanon.{{ persons }} as persons
                on persons.person = located.person
            inner join label_children
                on label_children.attribute_number = {{ loop.index }}
                and label_children.label
                    is not distinct from cast(located.{{ alias | ident }} as varchar)
                and label_children.value is not distinct from persons.value_{{ loop.index }}
            group by {{ keys.list("located", class_key, last=["label_children.attribute_number", "label_children.child"]) }}
{% endfor %}
        ) as children
    ) as ranked_children
    group by {{ keys.list("ranked_children", class_key, last=["ranked_children.attribute_number"]) }}
{% endif %}
),
class_ends_counted as (
    select
{{ keys.select("end_counts", class_key, true) }}        min(end_counts.person_count) filter (where end_counts.person_count > 0) as fewest,
        count(distinct end_counts.person) filter (
            where end_counts.person_count = 1
        ) as known_persons,
        count(*) filter (where end_counts.person_count = 0) as missing_ends
    from end_counts
    group by {{ keys.list("end_counts", class_key) }}
),
class_persons as (
    select
{{ keys.select("located", class_key, true) }}        sum(located.person_count) as person_count
    from sqlanon.{{ located }} as located
    group by {{ keys.list("located", class_key) }}
)
select
{{ keys.select("classes", class_key) }}    classes.class_size,
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
from {{ keys.named(classes, "classes") }}
left join class_persons
{{ keys.join("class_persons", "classes", class_key) }}left join class_ends_counted
{{ keys.join("class_ends_counted", "classes", class_key) }}
