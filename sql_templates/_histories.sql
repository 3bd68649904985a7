{# CTEs up to `histories`: one row per person of `labeled_rows`, with the number of the person's history. #}
{% import "_keys.sql" as keys %}
{% macro histories(labels, person) -%}
numbered_labels as (
    -- one row per row of labels that occurs
    select {{ keys.list("", labels) }}, row_number() over (order by {{ keys.list("", labels) }}) as label_number
    from (
        select {{ keys.list("", labels) }}
        from labeled_rows
        group by {{ keys.list("", labels) }}
    ) as distinct_labels
),
listed_labels as (
    -- one row per person: the rows of labels, each as often as it occurs
    select labeled_rows.{{ person }}, list(numbered_labels.label_number order by numbered_labels.label_number) as label_numbers
    from labeled_rows
    inner join numbered_labels
{{ keys.join("numbered_labels", "labeled_rows", labels, true) }}    group by labeled_rows.{{ person }}
),
histories as (
    -- persons with the same list have the same number, and are one class
    select {{ person }}, dense_rank() over (order by label_numbers) as history
    from listed_labels
)
{%- endmacro %}
