{#- inputs: attributes list[str], exact_numbers list[str], escaped bool -#}
{% import "_keys.sql" as keys %}
{% import "_plain_text.sql" as texts %}
-- proof_of_distinct_values: values of sensitive attributes that readers would take for the same, but that promises count as different
-- reads:   counted_values
-- returns: one row per attribute with such values; no row if there is none
--   texts     values that equal another value except for white space, case, Unicode form, or
--             separators of thousands
--   numbers   values that are the same number as another value
--   unknown   values with letters whose plain form is not known here
-- nulls:   a missing value and an empty text are the same
with composed_values as (
    select
        attribute,
        text,
        number,
        -- without invisible characters, in lower case, composed (NFC)
        {{ texts.composed("ltrim(text, '''')" if escaped else "text") }} as composed
    from sqlanon.counted_values
    where attribute in ({{ keys.texts(attributes + exact_numbers) }})
),
written_values as (
    select
        attribute,
        number,
        -- with one letter for all of its forms (NFKC), and white space as one blank
        {{ texts.plain("composed") }} as written,
        -- significant digits: with up to 15 of them, a double is exact
        length(trim(regexp_replace(regexp_extract(text, '^[^eE]*'), '[^0-9]+', '', 'g'), '0'))
            as digits
    from composed_values
),
plain_values as (
    select
        attribute,
        number,
        digits,
        case
            when regexp_matches(written, '^[+-]?[0-9]{1,3}([, ''\x{2019}][0-9]{3})+([.][0-9]+)?$')
                then regexp_replace(written, '[, ''\x{2019}]+', '', 'g')
            else written
        end as plain
    from written_values
),
compared_values as (
    select
        attribute,
        plain,
        -- letters of which Unicode (NFKC) knows other forms, but not this text
        regexp_matches(
            plain,
            {{ texts.unknown() }}
        ) as is_unknown,
        case
            when number is null then null
            when digits <= 15 then cast(number + 0.0 as varchar)
            -- the text without a plus sign, leading zeros, and trailing zeros
            else regexp_replace(
                regexp_replace(plain, '^\+?(-?)0*', '\1'), '(\.[0-9]*[1-9])0*$|\.0*$', '\1'
            )
        end as number_text
    from plain_values
),
alike as (
    select
        attribute,
{% if exact_numbers %}
        -- the plan says that all spellings of {{ exact_numbers | join(", ") | comment }} differ
        is_unknown and attribute not in ({{ keys.texts(exact_numbers) }}) as is_unknown,
        case when attribute in ({{ keys.texts(exact_numbers) }}) then 1
            else count(*) over (partition by attribute, plain) end as same_texts,
{% else %}
        is_unknown,
        count(*) over (partition by attribute, plain) as same_texts,
{% endif %}
        case when number_text is not null
            then count(*) over (partition by attribute, number_text) else 1 end as same_numbers
    from compared_values
)
select
    attribute,
    count(*) filter (where same_texts > 1) as texts,
    count(*) filter (where same_numbers > 1) as numbers,
    count(*) filter (where is_unknown) as unknown
from alike
where same_texts > 1 or same_numbers > 1 or is_unknown
group by attribute
order by attribute
