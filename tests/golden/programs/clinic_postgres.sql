-- sqlanon: all steps from the source to a proven publication
-- plan      postgres.yml (sha256 abababababab…)
-- promise   every published row shares its quasi-identifiers with at least 4 others (k = 5)
-- promise   every class holds at least 2 different values of diagnosis
-- levels    sex 0, born 3, zip 2, marital_status 3 (height 8; found by optimal: optimal)
-- run       psql -v ON_ERROR_STOP=1 -f target/postgres/sql/program.sql, from the plan's folder;
--           needs PostgreSQL 13, and the connection of psql's own arguments or environment
-- tables    all work is done in the schema sqlanon_abababababababab, in one transaction: nobody
--           else sees it, and it ends with the program
-- publishes once all proofs hold, with owner, grants, comments of columns and indexes of an earlier
--           table; without the mark and the manifest, by which `sqlanon run` replaces only what it
--           wrote

\set ON_ERROR_STOP on
\set ON_ERROR_ROLLBACK off

begin isolation level repeatable read;

-- what results depend on, and what makes it fast
set local timezone = 'UTC';
set local datestyle = 'ISO, YMD';
set local intervalstyle = 'postgres';
set local extra_float_digits = '1';
set local bytea_output = 'hex';
set local standard_conforming_strings = 'on';
set local transform_null_equals = 'off';
set local row_security = 'on';
set local enable_nestloop = 'off';
set local enable_mergejoin = 'off';
set local enable_sort = 'off';
set local parallel_tuple_cost = '0.01';
set local jit = 'off';
set local work_mem = '128MB';

-- names are not looked up in schemas in which others could make a function
select pg_catalog.length(pg_catalog.set_config('search_path', path.path, true)) as path
from (
select coalesce(
    pg_catalog.string_agg(pg_catalog.quote_ident(path.name), ', ' order by path.place), ''
)
from pg_catalog.unnest(pg_catalog.current_schemas(false)) with ordinality as path (name, place)
inner join pg_catalog.pg_namespace as schemas on schemas.nspname operator(pg_catalog.=) path.name
where not exists (
    select 1
    from pg_catalog.aclexplode(schemas.nspacl) as given
    where given.privilege_type operator(pg_catalog.=) 'CREATE'
        and given.grantee operator(pg_catalog.<>) schemas.nspowner
        and given.grantee operator(pg_catalog.<>) current_user::pg_catalog.regrole::pg_catalog.oid
)
) as path (path);

create schema sqlanon_abababababababab;

-- step 1 of 15
-- source: the unchanged input, one row per source row; only source_rows reads it
-- plan:    postgres
-- returns: one row per source row
create view sqlanon_abababababababab.source as
select
    *
from clinic.patients;

-- step 2 of 15
-- source_rows: the columns that may leave the database, by name, and no other
-- reads:   source
-- returns: one row per source row
-- not published: patient_id, an identifier
-- not published: name, an identifier
create view sqlanon_abababababababab.source_rows as
select
    sex as sex,
    born as born,
    zip as zip,
    marital_status as marital_status,
    diagnosis as diagnosis,
    cost as cost
from sqlanon_abababababababab.source;

-- step 3 of 15
-- source_combinations: the one pass over the source; later steps before the release read this
-- reads:   source_rows
-- returns: one row per distinct combination of quasi-identifiers and counted columns
--   row_count  source rows with this combination   [rows]
-- nulls:   a null is a value of its own
create unlogged table sqlanon_abababababababab.source_combinations as
select
    sex,
    born,
    zip,
    marital_status,
    diagnosis as counted_1,
    count(*) as row_count
from sqlanon_abababababababab.source_rows
group by sex, born, zip, marital_status, diagnosis;

analyze sqlanon_abababababababab.source_combinations;

-- step 4 of 15
-- counted_values: the values of the attributes whose distribution in classes is checked
-- reads:   source_combinations
-- returns: one row per attribute and value
--   value      code of the value, from 1
--   text       the value as text; number: as a number, null if it is not one
--   place      order of the value: by number, then by text
--   row_count  rows with this value   [rows]
--   table_size rows of the table   [rows]
-- nulls:   a missing value has a code of its own, and the last place
create unlogged table sqlanon_abababababababab.counted_values as
with texts(attribute, text, row_count) as (
    select
        'diagnosis',
        cast(counted_1 as text),
        cast(sum(row_count) as bigint)
    from sqlanon_abababababababab.source_combinations
    group by cast(counted_1 as text)
)
select
    attribute,
    cast(row_number() over by_value as integer) as value,
    text,
    case when text ~ '^\s*[+-]?([0-9][0-9_]*[.]?[0-9]*|[.][0-9]+|[iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN])([eE][+-]?[0-9]+)?\s*$' then cast(text
        as double precision) end as number,
    row_number() over by_value as place,
    row_count,
    cast(sum(row_count) over (partition by attribute) as bigint) as table_size
from texts
window by_value as (
    partition by attribute
    order by case when text ~ '^\s*[+-]?([0-9][0-9_]*[.]?[0-9]*|[.][0-9]+|[iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN])([eE][+-]?[0-9]+)?\s*$' then cast(text
        as double precision) end, text collate "C"
);

analyze sqlanon_abababababababab.counted_values;

-- step 5 of 15
-- table_values_of_diagnosis: the values of diagnosis in the whole table
-- reads:   counted_values
-- returns: one row per value
create view sqlanon_abababababababab.table_values_of_diagnosis as
select
    value,
    text,
    number,
    place,
    row_count,
    table_size
from sqlanon_abababababababab.counted_values
where attribute = 'diagnosis';

-- step 6 of 15
-- proof_of_distinct_values: values of sensitive attributes that readers would take for the same,
--   but that promises count as different
-- reads:   counted_values
-- returns: one row per attribute with such values; no row if there is none
--   texts     values that equal another value except for white space, case, Unicode form, or
--             separators of thousands
--   numbers   values that are the same number as another value
--   unknown   values with letters whose plain form is not known here
-- nulls:   a missing value and an empty text are the same
create unlogged table sqlanon_abababababababab.proof_of_distinct_values as
with composed_values as (
    select
        attribute,
        text,
        number,
        normalize(lower(
            translate(normalize(regexp_replace(
                coalesce(text, ''),
                '[\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890-\u0891\u08E2\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F\u034F\u115F-\u1160\u17B4-\u17B5\u180B-\u180F\u2065\u2800\u3164\uFE00-\uFE0F\uFFA0\uFFF0-\uFFF8\U000E0000-\U000E0FFF]+',
                '',
                'g'
            ), nfc), 'İΣ', 'iσ') collate "und-x-icu"
        ), nfc) as composed
    from sqlanon_abababababababab.counted_values
    where attribute in ('diagnosis')
), written_values as (
    select
        attribute,
        number,
        trim(' ' from regexp_replace(
            normalize(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(translate(
                composed,
                'ª²³µ¹ºſςϐϑϕϖϰϱϲϵ‑․⁰ⁱ⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ℓⅰⅴⅹ①②③④⑤⑥⑦⑧⑨！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠［＼］＾＿｀ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～｟｠｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ￠￡￢￤￥￦',
                'a23μ1osσβθφπκρσε‐.0i456789+−=()n0123456789+−=()livx123456789!"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~⦅⦆。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゙゚¢£¬¦¥₩'
            ),
                '´', ' ́'),
                '¼', '1⁄4'),
                '½', '1⁄2'),
                '¾', '3⁄4'),
                'ß', 'ss'),
                'և', 'եւ'),
                'ำ', 'ํา'),
                'ຳ', 'ໍາ'),
                '…', '...'),
                '℃', '°c'),
                '№', 'no'),
                '™', 'tm'),
                'ⅱ', 'ii'),
                'ⅲ', 'iii'),
                'ⅳ', 'iv'),
                'ⅵ', 'vi'),
                'ⅶ', 'vii'),
                'ⅷ', 'viii'),
                'ⅸ', 'ix'),
                'ﬀ', 'ff'),
                'ﬁ', 'fi'),
                'ﬂ', 'fl'),
                'ﬃ', 'ffi'),
                'ﬄ', 'ffl'), nfc),
            '[\u0009-\u000A\u000C-\u000D\u0020\u0020\u00A0\u1680\u2000-\u200A\u2028-\u2029\u202F\u205F\u3000\u0001-\u001F\u007F-\u009F]+',
            ' ',
            'g'
        )) as written,
        length(
            trim('0' from regexp_replace(substring(text from '^[^eE]*'), '[^0-9]+', '', 'g'))
        ) as digits
    from composed_values
), plain_values as (
    select
        attribute,
        number,
        digits,
        case
            when (written ~ '^[+-]?[0-9]{1,3}([, ''\u2019][0-9]{3})+([.][0-9]+)?$')
            then regexp_replace(written, '[, ''\u2019]+', '', 'g')
            else written
        end as plain
    from written_values
), compared_values as (
    select
        attribute,
        plain,
        (plain
            ~ '[\u00A8\u00AF\u00B8\u0132-\u0133\u013F-\u0140\u0149\u01C4-\u01CC\u01F1-\u01F3\u02B0-\u02B8\u02D8-\u02DD\u02E0-\u02E4\u0345\u037A\u0384-\u0385\u03D2-\u03D4\u0675-\u0678\u0EDC-\u0EDD\u0F0C\u0F77-\u0F79\u10FC\u1C80-\u1C88\u1D2C-\u1D2E\u1D30-\u1D3A\u1D3C-\u1D4D\u1D4F-\u1D6A\u1D78\u1D9B-\u1DBF\u1E9A-\u1E9B\u1F80-\u1FAF\u1FB2-\u1FB4\u1FB7-\u1FC4\u1FC7-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FF4\u1FF7-\u1FFE\u2017\u2025\u2033-\u2034\u2036-\u2037\u203C\u203E\u2047-\u2049\u2057\u2090-\u209C\u20A8\u2100-\u2102\u2105-\u2107\u2109-\u2112\u2115\u2119-\u211D\u2120-\u2121\u2124\u2128\u212C-\u212D\u212F-\u2139\u213B-\u2140\u2145-\u2149\u2150-\u217F\u2189\u222C-\u222D\u222F-\u2230\u2469-\u24EA\u2A0C\u2A74-\u2A76\u2C7C-\u2C7D\u2D6F\u2E9F\u2EF3-\u2FD5\u3036\u3038-\u303A\u309B-\u309C\u309F\u30FF\u3131-\u318E\u3192-\u319F\u3200-\u3247\u3250-\u327E\u3280-\u33FF\uA69C-\uA69D\uA770\uA7F2-\uA7F4\uA7F8-\uA7F9\uAB5C-\uAB5F\uAB69\uFB05-\uFB17\uFB20-\uFBB1\uFBD3-\uFD3D\uFD50-\uFDC7\uFDF0-\uFDFC\uFE10-\uFE19\uFE30-\uFE44\uFE47-\uFE72\uFE74-\uFFEE\U00010781-\U000107BA\U0001D400-\U0001D7FF\U0001EE00-\U0001EEBB\U0001F100-\U0001F10A\U0001F110-\U0001F12E\U0001F130-\U0001F14F\U0001F16A-\U0001F16C\U0001F190\U0001F200-\U0001F251\U0001FBF0-\U0001FBF9]')
                as is_unknown,
        case
            when number is null
            then null
            when digits <= 15
            then replace(replace(regexp_replace(
                case when abs(number + 0.0) >= 1e15 and abs(number + 0.0) < 1e16
                    then cast(cast(cast(number + 0.0 as text) as numeric) as text) else cast(number
                        + 0.0 as text) end,
                '^(-?[0-9]+)$', '\1.0'), 'Infinity', 'inf'), 'NaN', 'nan')
            else regexp_replace(
                regexp_replace(plain, '^\+?(-?)0*', '\1'),
                '(\.[0-9]*[1-9])0*$|\.0*$',
                '\1'
            )
        end as number_text
    from plain_values
), alike as (
    select
        attribute,
        is_unknown,
        count(*) over (partition by attribute, plain) as same_texts,
        case
            when not number_text is null
            then count(*) over (partition by attribute, number_text)
            else 1
        end as same_numbers
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
order by attribute collate "C";

analyze sqlanon_abababababababab.proof_of_distinct_values;

select
    case
        when count(*) > 0
        then cast(cast('sqlanon: proof_of_distinct_values found violations; nothing is published' || left(cast(random()
            as text), 0) as integer) as text)
        else 'holds'
    end as proof_of_distinct_values
from sqlanon_abababababababab.proof_of_distinct_values;

-- step 7 of 15
-- release: what postgres.yml publishes of clinic.patients, in the order of the published values
--   sex             as in the source
--   born            by decade, such as 1980s
--   zip             2 characters masked from the right, such as 123**
--   marital_status  one value for all
--   diagnosis, cost as in the source
--   not published   patient_id, name (identifiers); rows of classes that break a promise
--   decides         which rows are kept: sex, born, zip, marital_status, diagnosis
--   promise         every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise         every class holds at least 2 different values of diagnosis
create table clinic.sqlanon_abababababababab_1 as
with source as (
    select
        sex as sex,
        born as born,
        zip as zip,
        marital_status as marital_status,
        diagnosis as diagnosis,
        cost as cost
    from clinic.patients
), generalized as not materialized (
    select
        sex,
        cast(cast(extract(year from cast(born as timestamp)) as bigint) / 10 * 10 as text)
            || 's' as born,
        substring(zip from 1 for greatest(length(zip) - 2, 0))
            || repeat('*', least(2, length(zip))) as zip,
        '*' as marital_status,
        diagnosis,
        cost
    from source
), class_values_of_diagnosis as (
    select
        sex,
        born,
        zip,
        diagnosis as value,
        count(*) as value_count
    from generalized
    group by sex, born, zip, diagnosis
), classes as (
    select
        sex,
        born,
        zip,
        cast(sum(value_count) as bigint) as class_size
    from class_values_of_diagnosis
    group by sex, born, zip
), k_anonymity as (
    select
        sex,
        born,
        zip,
        class_size,
        class_size >= 5 as satisfied
    from classes
), l_diversity as (
    select
        sex,
        born,
        zip,
        count(*) as diversity,
        count(*) >= 2 as satisfied
    from class_values_of_diagnosis as class_values
    group by sex, born, zip
), published_classes as (
    select
        sex,
        born,
        zip,
        row_number() over (order by sex collate "C", born collate "C", zip collate "C") as place
    from (
        select
            sex,
            born,
            zip
        from k_anonymity
        where satisfied
        intersect
        select
            sex,
            born,
            zip
        from l_diversity
        where satisfied
    ) as satisfied_classes
)
select
    generalized.*
from generalized
inner join published_classes
    on array[published_classes.sex, published_classes.born, published_classes.zip]
        = array[generalized.sex, generalized.born, generalized.zip]
order by
    published_classes.place,
    generalized.diagnosis collate "C",
    generalized.cost collate "C";

analyze clinic.sqlanon_abababababababab_1;

-- step 8 of 15
-- published_rows: the publication, as any reader of the file sees it
-- returns: one row per published row
create view sqlanon_abababababababab.published_rows as
select
    *
from clinic.sqlanon_abababababababab_1;

-- step 9 of 15
-- proof_of_rows: an empty publication proves nothing, so it counts as a violation
-- reads:   published_rows
-- returns: one row if nothing was published; otherwise no row
create unlogged table sqlanon_abababababababab.proof_of_rows as
select
    'nothing was published' as violation
from (
    select
        count(*) as row_count
    from sqlanon_abababababababab.published_rows
) as counted_rows
where counted_rows.row_count = 0;

analyze sqlanon_abababababababab.proof_of_rows;

select
    case
        when count(*) > 0
        then cast(cast('sqlanon: proof_of_rows found violations; nothing is published' || left(cast(random()
            as text), 0) as integer) as text)
        else 'holds'
    end as proof_of_rows
from sqlanon_abababababababab.proof_of_rows;

-- step 10 of 15
-- published_combinations: the one pass over the publication; all promises are judged on this table
-- reads:   published_rows; no result of the search
-- returns: one row per distinct combination of published quasi-identifiers, values
--   text_of_diagnosis   diagnosis
--   row_count   published rows   [rows]
-- nulls:   a null is a value of its own
create unlogged table sqlanon_abababababababab.published_combinations as
select
    sex,
    born,
    zip,
    marital_status,
    cast(diagnosis as text) as text_of_diagnosis,
    count(*) as row_count
from sqlanon_abababababababab.published_rows
group by sex, born, zip, marital_status, diagnosis;

analyze sqlanon_abababababababab.published_combinations;

-- step 11 of 15
-- published_equivalence_classes: rows that share all published quasi-identifiers
-- reads:   published_combinations
-- returns: one row per class
--   class_size  published rows
-- nulls:   a null is a value of its own
create unlogged table sqlanon_abababababababab.published_equivalence_classes as
select
    sex,
    born,
    zip,
    marital_status,
    cast(sum(row_count) as bigint) as class_size
from sqlanon_abababababababab.published_combinations
group by sex, born, zip, marital_status;

analyze sqlanon_abababababababab.published_equivalence_classes;

-- step 12 of 15
-- proof_of_values_of_diagnosis: every published diagnosis is a value that the promises counted
-- reads:   published_combinations, table_values_of_diagnosis
-- returns: one row if a value is not
create unlogged table sqlanon_abababababababab.proof_of_values_of_diagnosis as
select
    cast(sum(combinations.row_count) as bigint) as unknown_rows
from sqlanon_abababababababab.published_combinations as combinations
left join sqlanon_abababababababab.table_values_of_diagnosis as table_values
    on array[table_values.text] = array[combinations.text_of_diagnosis]
where table_values.value is null
having count(*) > 0;

analyze sqlanon_abababababababab.proof_of_values_of_diagnosis;

select
    case
        when count(*) > 0
        then cast(cast('sqlanon: proof_of_values_of_diagnosis found violations; nothing is published' || left(cast(random()
            as text), 0) as integer) as text)
        else 'holds'
    end as proof_of_values_of_diagnosis
from sqlanon_abababababababab.proof_of_values_of_diagnosis;

-- step 13 of 15
-- published_class_values_of_diagnosis: how often each diagnosis occurs in each published class
-- reads:   published_combinations, table_values_of_diagnosis
-- returns: one row per class and value
--   value        code of the value
--   value_count  rows
create unlogged table sqlanon_abababababababab.published_class_values_of_diagnosis as
select
    combinations.sex,
    combinations.born,
    combinations.zip,
    combinations.marital_status,
    table_values.value,
    cast(sum(combinations.row_count) as bigint) as value_count
from sqlanon_abababababababab.published_combinations as combinations
inner join sqlanon_abababababababab.table_values_of_diagnosis as table_values
    on array[table_values.text] = array[combinations.text_of_diagnosis]
group by
    combinations.sex,
    combinations.born,
    combinations.zip,
    combinations.marital_status,
    table_values.value;

analyze sqlanon_abababababababab.published_class_values_of_diagnosis;

-- step 14 of 15
-- proof_of_k_anonymity: published classes that break the promise; no row means that every
--   published row shares its quasi-identifiers with at least 4 others (k = 5)
-- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
-- reads:   sqlanon.published_equivalence_classes, and the relations named below
-- returns: one row per failing class; a class that no check has judged fails
create unlogged table sqlanon_abababababababab.proof_of_k_anonymity as
select
    classes.*,
    judged_classes.class_size as measured
from sqlanon_abababababababab.published_equivalence_classes as classes
left join (
    select
        sex,
        born,
        zip,
        marital_status,
        class_size,
        class_size >= 5 as satisfied
    from sqlanon_abababababababab.published_equivalence_classes as classes
) as judged_classes
    on array[judged_classes.sex, judged_classes.born, judged_classes.zip,
        judged_classes.marital_status]
        = array[classes.sex, classes.born, classes.zip, classes.marital_status]
where not coalesce(judged_classes.satisfied, false);

analyze sqlanon_abababababababab.proof_of_k_anonymity;

select
    case
        when count(*) > 0
        then cast(cast('sqlanon: proof_of_k_anonymity found violations; nothing is published' || left(cast(random()
            as text), 0) as integer) as text)
        else 'holds'
    end as proof_of_k_anonymity
from sqlanon_abababababababab.proof_of_k_anonymity;

-- step 15 of 15
-- proof_of_l_diversity: published classes that break the promise; no row means that every class
--   holds at least 2 different values of diagnosis
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.published_equivalence_classes, and the relations named below
-- returns: one row per failing class; a class that no check has judged fails
create unlogged table sqlanon_abababababababab.proof_of_l_diversity as
select
    classes.*,
    judged_classes.diversity as measured
from sqlanon_abababababababab.published_equivalence_classes as classes
left join (
    select
        sex,
        born,
        zip,
        marital_status,
        count(*) as diversity,
        count(*) >= 2 as satisfied
    from sqlanon_abababababababab.published_class_values_of_diagnosis as class_values
    group by sex, born, zip, marital_status
) as judged_classes
    on array[judged_classes.sex, judged_classes.born, judged_classes.zip,
        judged_classes.marital_status]
        = array[classes.sex, classes.born, classes.zip, classes.marital_status]
where not coalesce(judged_classes.satisfied, false);

analyze sqlanon_abababababababab.proof_of_l_diversity;

select
    case
        when count(*) > 0
        then cast(cast('sqlanon: proof_of_l_diversity found violations; nothing is published' || left(cast(random()
            as text), 0) as integer) as text)
        else 'holds'
    end as proof_of_l_diversity
from sqlanon_abababababababab.proof_of_l_diversity;

-- proven: one row if every proof holds; otherwise an error. Without this table nothing is
--   published, even if the shell continues after errors
-- reads:   proof_of_distinct_values, proof_of_rows, proof_of_values_of_diagnosis,
--   proof_of_k_anonymity, proof_of_l_diversity, source_rows, published_rows
-- returns: one row
create unlogged table sqlanon_abababababababab.proven as
with violations as (
    select
        count(*) as violation_count
    from sqlanon_abababababababab.proof_of_distinct_values
    union all
    select
        count(*) as violation_count
    from sqlanon_abababababababab.proof_of_rows
    union all
    select
        count(*) as violation_count
    from sqlanon_abababababababab.proof_of_values_of_diagnosis
    union all
    select
        count(*) as violation_count
    from sqlanon_abababababababab.proof_of_k_anonymity
    union all
    select
        count(*) as violation_count
    from sqlanon_abababababababab.proof_of_l_diversity
), sums as (
    select
        sum(violation_count) as violation_count
    from violations
), source_count as (
    select
        count(*) as row_count
    from sqlanon_abababababababab.source_rows
), published_count as (
    select
        count(*) as row_count
    from sqlanon_abababababababab.published_rows
)
select
    case
        when sums.violation_count > 0
        then cast(cast('sqlanon: a proof failed; nothing is published' || left(cast(random()
            as text), 0) as integer) as text)
        when published_count.row_count > source_count.row_count
        or source_count.row_count - published_count.row_count
            > 0.03 * source_count.row_count
        then cast(cast('sqlanon: rows are missing; nothing is published' || left(cast(random()
            as text), 0) as integer) as text)
        else 'proven'
    end as verdict
from sums
cross join source_count
cross join published_count;

analyze sqlanon_abababababababab.proven;

-- the proven rows, at their place, with what an earlier table there granted
do $publish_$
declare
    place text := 'clinic.published';
    earlier oid := to_regclass(place);
    staged oid := to_regclass('clinic.sqlanon_abababababababab_1');
    new_columns text[] := array(
        select attname::text
        from pg_catalog.pg_attribute
        where attrelid = staged and attnum > 0 and not attisdropped
        order by attnum
    );
    kept text[] := array(
        select made.statement
        from (
            select 1 as part, format('alter table %s owner to %I', place, pg_get_userbyid(relowner))
            from pg_catalog.pg_class
            where oid = earlier
            union all
            select 2, format(
                'grant %s%s on %s to %s%s', privilege_type, named, place,
                case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
                case when is_grantable and grantee <> owner then ' with grant option' end
            )
            from (
                select '' as named, relowner as owner, given.*
                from pg_catalog.pg_class,
                    aclexplode(coalesce(relacl, acldefault('r', relowner))) as given
                where oid = earlier
                union all
                select format(' (%I)', attname), 0, given.*
                from pg_catalog.pg_attribute, aclexplode(attacl) as given
                where attrelid = earlier and not attisdropped and attname = any(new_columns)
            ) as grants
            union all
            select 3, format(
                'comment on column %s.%I is %L', place, attname, col_description(attrelid, attnum)
            )
            from pg_catalog.pg_attribute
            where attrelid = earlier and attname = any(new_columns)
                and col_description(attrelid, attnum) is not null
        ) as made (part, statement)
        order by made.part
    ) || array(
        select pg_get_indexdef(indexrelid)
        from pg_catalog.pg_index
        where indrelid = earlier
        order by indexrelid
    );
    statement text;
begin
    if (select count(*) from sqlanon_abababababababab.proven) <> 1 then
        raise exception 'sqlanon: a proof failed; nothing is published';
    end if;
    if earlier is not null then
        for statement in
            select format('revoke all on %s from %s', 'clinic.sqlanon_abababababababab_1', case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
            from pg_catalog.pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner)))
            where oid = staged
        loop
            execute statement;
        end loop;
        drop table clinic.published;
    end if;
    alter table clinic.sqlanon_abababababababab_1 rename to published;
    foreach statement in array kept loop
        execute statement;
    end loop;
end
$publish_$;

set local client_min_messages = warning;
drop schema sqlanon_abababababababab cascade;

commit;
