{#- inputs: relation str, columns list[str], dates list[int], ages list[int], birth_years list[int], postal list[int], year int, small_areas list[str], most_values int -#}
{% macro is_one_of(numbers) -%}
{% for number in numbers %}{{ "column_number in (" if loop.first }}{{ number | number }}{{ ")" if loop.last else ", " }}{% else %}false{% endfor %}
{%- endmacro %}
{% set months = "(jan|feb|fev|apr|avr|abr|jun|juin|giu|jul|juil|lug|aug|aou|sep|oct|okt|nov|dec|dez|dic)[a-z]*|mar(ch|s|z|zo)?|mrt|maart|may|mayo|mai|maio|mei|mag(gio)?|gen(naio)?|ene(ro)?|ago(sto)?|set(t|tembre|iembre|embro)?|ott(obre)?|out(ubro)?" %}
-- tested_values: what values show of the identifiers of 45 CFR 164.514(b)(2), column by column
-- reads:   {{ relation.removeprefix("sqlanon.") }}
-- returns: one row per column with a value
--   row_count, present         rows, and those with a value   [rows]
--   distinct_values, singles   values, and those that one row has   [different values]
--   shown                      values other than '*'   [different values]
--   longest                    length of the longest value   [characters]
--   words, own_words           words of a value, by rows and by different values   [words]
--   numbers, wholes, dated     rows whose value is a number, a whole number, a date   [rows]
--   padded                     rows whose value begins with 0 and a digit   [rows]
--   drawn                      values, those with the smallest hashes   [list of text]
--   the others                 rows with a value that has the form of the name   [rows]
-- nulls:   a missing value shows nothing
with column_values as (
{% for column in columns %}
    {{ "union all " if not loop.first }}select
        {{ loop.index }} as column_number,
        cast({{ column | ident }} as varchar) as value,
        count(*) as row_count
    from {{ relation }}
    where {{ column | ident }} is not null
    group by {{ column | ident }}
{% endfor %}
),
read_values as (
    -- the first day of a year is that year; a masked digit could be any
    select
        *,
        regexp_replace(
            strip_accents(value),
            '([0-9]{4})-01-01(?:[ T]00:00:00(?:\.0+)?)?(?:[+-]00(?::00)?)?([^ T0-9]|$)',
            '\1\2',
            'g'
        ) as dated,
        cast(regexp_extract_all(replace(value, '*', '9'), '[0-9]{1,9}(?:\.[0-9]{1,9})?') as double[]) as numbers,
        cast(regexp_extract_all(replace(value, '*', '0'), '[0-9]{4}') as integer[]) as years,
        regexp_extract_all(value, '[0-9]+') as digits,
        regexp_extract_all(value, '\S+') as words
    from column_values
),
tested_values as (
    select
        *,
        regexp_matches(value, '[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}')
            as is_email,
        regexp_matches(value, '(?i)(https?://|ftp://|www\.)[^ ]+\.[^ ]+') as is_web_address,
        regexp_matches(
            value,
            '(^|[^0-9.])((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])([^0-9.]|$)'
        )
        or regexp_matches(value, '(^|[^0-9A-Fa-f:])([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}')
        or regexp_matches(value, '([0-9A-Fa-f]{1,4}:){1,6}:[0-9A-Fa-f]{1,4}') as is_network_address,
        regexp_matches(
            value, '(^|[^0-9A-Fa-f:-])([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}([^0-9A-Fa-f:-]|$)'
        ) as is_hardware_address,
        regexp_matches(value, '(^|[^0-9-])[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}([^0-9-]|$)')
            as is_social_security_number,
        regexp_matches(
            value,
            '(^|[^0-9])(\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}([^0-9]|$)'
        )
        or regexp_matches(value, '\+[1-9][0-9 ()/.-]{7,}[0-9]') as is_phone_number,
        regexp_matches(
            dated,
            '(?i)(^|[^0-9.])[0-9]{4}[./-](0?[1-9]|1[0-2])[./-](0?[1-9]|[12][0-9]|3[01])([^0-9.]|\.?$)|(^|[^0-9-])(18|19|20)[0-9]{2}(-([012][0-9]{2}|3[0-6][0-9])([^0-9-]|$)|-?w[0-5][0-9]-?[1-7]([^0-9]|$))'
        )
        or regexp_matches(
            dated,
            '(^|[^0-9./-])(0?[1-9]|[12][0-9]|3[01])[./-](0?[1-9]|[12][0-9]|3[01])[./-]([0-9]{4}([^0-9.]|\.?$)|[0-9]{2}([^0-9./-]|\.?$))'
        )
        or regexp_matches(
            dated,
            '(?i)[0-9]{1,2}(st|nd|rd|th|er)?[ .-]*((de|of) )?({{ months }})[ .,-]*(del? )?([0-9]{4}|[0-9]{2})([^0-9]|$)|(^|[^a-z])({{ months }})[ .,-]*[0-9]{1,2}(st|nd|rd|th)?[ .,-]+[0-9]{4}([^0-9]|$)|[0-9]{4}[ .,-]*({{ months }})[ .,-]*[0-9]'
        )
        or {{ is_one_of(dates) }}
        and (
            regexp_matches(dated, '(^|[^0-9])[0-9]{4}[./-](0?[1-9]|1[0-2])([^0-9]|$)')
            or regexp_matches(dated, '(^|[^0-9])(0?[1-9]|1[0-2])[./-][0-9]{4}([^0-9]|$)')
            or regexp_matches(dated, '(?i)[0-9]{4}[ ./-]*[qw][0-9]|q[1-4][ ./-]*[0-9]{4}')
            or regexp_matches(
                dated, '(?i)(^|[^a-z])({{ months }})[ .,-]*[0-9]|[0-9]{4}[ .,-]*({{ months }})([^a-z]|$)'
            )
            or regexp_matches(
                dated,
                '(^|[^0-9.])((18|19|20)?[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])|(18|19|20)[0-9]{2}(0[1-9]|1[0-2]))([^0-9]|$)'
            )
        ) as is_date,
        {{ is_one_of(ages) }} and len(digits) > 0
        and (
            coalesce(list_max(numbers), 0) > 90
            or len(list_filter(numbers, lambda age: age > 89 and age < 90)) > 0
        ) as is_old_age,
        {{ is_one_of(birth_years) }} and len(digits) > 0
        and coalesce(list_min(years), 9999) < {{ (year - 90) | number }} as is_old_birth,
        regexp_matches(value, '(^|[^0-9-])[0-9]{5}-[0-9]{4}([^0-9-]|$)')
        or {{ is_one_of(postal) }}
        and (
            len(list_filter(digits, lambda area: length(area) > 3)) > 0
            or regexp_matches(regexp_replace(value, ' or NULL$', ''), '[A-WYZa-wyz]')
        ) as is_exact_area,
        {{ is_one_of(postal) }}
        and list_has_any(
            list_transform(
                digits, lambda area: case when value like '%*%' then area else lpad(area, 3, '0') end
            ),
            [{% for area in small_areas %}{{ area | text }}{{ ", " if not loop.last }}{% endfor %}]
        ) as is_small_area
    from read_values
)
select
    column_number,
    (select count(*) from {{ relation }}) as row_count,
    cast(sum(row_count) as bigint) as present,
    count(*) as distinct_values,
    count(*) filter (row_count = 1) as singles,
    count(*) filter (value <> '*') as shown,
    max(length(value)) as longest,
    sum(row_count * len(words)) / sum(row_count) as words,
    avg(len(words)) as own_words,
    coalesce(sum(row_count) filter (isfinite(try_cast(value as double))), 0) as numbers,
    coalesce(
        sum(row_count) filter (try_cast(value as double) = floor(try_cast(value as double))), 0
    ) as wholes,
    coalesce(sum(row_count) filter (isfinite(try_cast(value as timestamp))), 0) as dated,
    coalesce(sum(row_count) filter (regexp_matches(value, '^0[0-9]')), 0) as padded,
    arg_min(value, hash(value), {{ most_values }}) as drawn,
{% for form in ("email", "web_address", "network_address", "hardware_address", "social_security_number", "phone_number", "date", "old_age", "old_birth", "exact_area", "small_area") %}
    cast(coalesce(sum(row_count) filter (is_{{ form }}), 0) as bigint) as {{ form }}{{ "," if not loop.last }}
{% endfor %}
from tested_values
group by column_number
order by column_number
