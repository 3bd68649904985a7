{#- CTEs: labels of nominal attributes, in `published_labels`, as places; `set_ranges` -#}
{% import "proof/_labels.sql" as labels %}
set_texts as (
    -- one row per label: without what it says of missing values, and without braces
    select
        attribute_number,
        label,
        set_text,
        holds_null,
        set_text like {{ "{%}" | text }} as is_set,
        set_text like {{ "{%}" | text }} and strpos(set_text, ',') = 0 and strpos(set_text, '"') = 0
            as is_count,
        {{ labels.braced("set_text") }} as listed
    from (
        select
            published_labels.attribute_number,
            published_labels.label,
            {{ labels.without_null("published_labels.label") }} as set_text,
            coalesce(published_labels.label like '% or NULL', true) as holds_null
        from published_labels
        inner join (
            select distinct attribute_number
            from sqlanon.value_places
            where kind = 'nominal'
        ) as nominal_attributes
            on nominal_attributes.attribute_number = published_labels.attribute_number
    ) as texts
),
listed_pieces as (
    -- a set, split at every comma and space: within double quotes they do not end a name
    select
        attribute_number,
        label,
        unnest(string_split(listed, ', ')) as piece,
        generate_subscripts(string_split(listed, ', '), 1) as number
    from set_texts
    where is_set and not is_count
),
counted_quotes as (
    select
        *,
        sum(length(piece) - length(replace(piece, '"', ''))) over (
            partition by attribute_number, label order by number
        ) as quotes
    from listed_pieces
),
numbered_pieces as (
    -- name_end: the piece with which the name of this piece ends
    select
        *,
        min(case when quotes % 2 = 0 then number end) over (
            partition by attribute_number, label order by number desc
        ) as name_end
    from counted_quotes
),
set_names as (
    -- one row per label and name
    select
        attribute_number,
        label,
        case
            when name like '"%' then replace(substr(name, 2, length(name) - 2), '""', '"')
            else name
        end as value
    from (
        select
            attribute_number,
            label,
            string_agg(piece, ', ' order by number) as name
        from numbered_pieces
        group by attribute_number, label, name_end
    ) as names
),
set_ranges as (
    -- one row per label and range of places; form: range, if nobody need have its ends
    select
        set_names.attribute_number,
        set_names.label,
        'set' as form,
        value_places.place as first_place,
        value_places.place as last_place
    from set_names
    inner join sqlanon.value_places
        on value_places.attribute_number = set_names.attribute_number
        and value_places.value = set_names.value
    union all
    -- a single value
    select
        set_texts.attribute_number,
        set_texts.label,
        'set',
        value_places.place,
        value_places.place
    from set_texts
    inner join sqlanon.value_places
        on value_places.attribute_number = set_texts.attribute_number
        and value_places.value = set_texts.set_text
    where not set_texts.is_set
    union all
    -- missing values beside others, or alone
    select set_texts.attribute_number, set_texts.label, 'set', value_places.place, value_places.place
    from set_texts
    inner join sqlanon.value_places
        on value_places.attribute_number = set_texts.attribute_number
        and value_places.value is null
    where set_texts.holds_null
    union all
    -- a number of values: of all
    select
        set_texts.attribute_number,
        set_texts.label,
        'range',
        min(value_places.place),
        max(value_places.place)
    from set_texts
    inner join sqlanon.value_places
        on value_places.attribute_number = set_texts.attribute_number
        and value_places.value is not null
    where set_texts.is_count
    group by set_texts.attribute_number, set_texts.label
    union all
    -- a label of a hierarchy, if it is no value
    select distinct
        set_texts.attribute_number,
        set_texts.label,
        'ancestor',
        label_places.place,
        label_places.place
    from set_texts
    inner join sqlanon.label_places
        on label_places.attribute_number = set_texts.attribute_number
        and label_places.label = set_texts.set_text
    left join sqlanon.value_places
        on value_places.attribute_number = set_texts.attribute_number
        and value_places.value = set_texts.set_text
    where not set_texts.is_set and value_places.attribute_number is null
)