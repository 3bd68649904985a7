-- alike_values: values of sensitive attributes that readers would take for the same, but that
--   promises count as different
-- reads:   counted_values
-- returns: one row per attribute with such values; no row if there is none
--   texts     values that equal another value except for white space, case, or Unicode form
--   numbers   values that are the same number as another value
-- nulls:   a missing value and an empty text are the same
with written_values as (
    select
        attribute,
        text,
        number,
        -- lower case, composed (NFC), no invisible characters, white space as one blank
        trim(regexp_replace(
            regexp_replace(
                nfc_normalize(lower(nfc_normalize(coalesce(text, '')))), '\p{Cf}+', '', 'g'
            ),
            '[\s\p{Z}\p{Cc}]+', ' ', 'g'
        ), ' ') as plain,
        -- significant digits: with up to 15 of them, a double is exact
        length(trim(regexp_replace(regexp_extract(text, '^[^eE]*'), '[^0-9]+', '', 'g'), '0'))
            as digits
    from sqlanon.counted_values
    where attribute in ('diagnosis', 'salary')
),
compared_values as (
    select
        attribute,
        plain,
        case
            when number is null then null
            when digits <= 15 then cast(number + 0.0 as varchar)
            -- the text without a plus sign, leading zeros, and trailing zeros
            else regexp_replace(
                regexp_replace(plain, '^\+?(-?)0*', '\1'), '(\.[0-9]*[1-9])0*$|\.0*$', '\1'
            )
        end as number_text
    from written_values
),
alike as (
    select
        attribute,
        count(*) over (partition by attribute, plain) as same_texts,
        case when number_text is not null
            then count(*) over (partition by attribute, number_text) else 1 end as same_numbers
    from compared_values
)
select
    attribute,
    count(*) filter (where same_texts > 1) as texts,
    count(*) filter (where same_numbers > 1) as numbers
from alike
where same_texts > 1 or same_numbers > 1
group by attribute
order by attribute
