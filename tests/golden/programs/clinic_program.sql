-- sqlanon: all steps from the source to a proven publication
-- plan      plan.yml (sha256 abababababab…)
-- promise   every published row shares its quasi-identifiers with at least 4 others (k = 5)
-- promise   every class holds at least 2 different values of diagnosis
-- levels    sex 0, born 3, zip 2, marital_status 3 (height 8; found by optimal: optimal)
-- run       duckdb -f target/plan/sql/program.sql, from the plan's folder; needs DuckDB 2.0
-- tables    all work is done in the catalog `sqlanon`, in memory

-- what results depend on; a session's own settings may differ
set TimeZone = 'UTC';
set Calendar = 'gregorian';
set default_collation = '';
set default_null_order = 'nulls_last';
set default_order = 'ascending';
set integer_division = 'false';
set ieee_floating_point_ops = 'true';
set error_on_division_by_zero = 'true';
set order_by_non_integer_literal = 'false';
set preserve_insertion_order = 'true';
set regex_match_operator_semantics = 'partial';
set scalar_subquery_error_on_multiple_rows = 'true';
set disable_timestamptz_casts = 'false';
set binary_as_string = 'false';
set dialect_compatibility_mode = 'none';

attach ':memory:' as sqlanon;

-- step 1 of 15
-- source: the unchanged input, one row per source row; only source_rows reads it
-- plan:    plan
-- returns: one row per source row
create view sqlanon.source as
select *
from read_csv('patients.csv', hive_partitioning = false, header = true, all_varchar = true,
    quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
    ignore_errors = false, delim = ',');

-- step 2 of 15
-- source_rows: the columns that may leave the database, by name, and no other
-- reads:   source
-- returns: one row per source row
-- not published: patient_id, an identifier
-- not published: name, an identifier
create view sqlanon.source_rows as
select sex, born, zip, marital_status, diagnosis, cost
from sqlanon.source;

-- step 3 of 15
-- source_combinations: the one pass over the source; later steps before the release read this
-- reads:   source_rows
-- returns: one row per distinct combination of quasi-identifiers and counted columns
--   row_count  source rows with this combination   [rows]
-- nulls:   a null is a value of its own
create table sqlanon.source_combinations as
select sex, born, zip, marital_status, diagnosis as counted_1, count(*) as row_count
from sqlanon.source_rows
group by sex, born, zip, marital_status, diagnosis;

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
create table sqlanon.counted_values as
with texts (attribute, text, row_count) as (
    select 'diagnosis', cast(counted_1 as varchar), cast(sum(row_count) as bigint)
    from sqlanon.source_combinations
    group by cast(counted_1 as varchar)
)
select
    attribute,
    cast(row_number() over by_value as integer) as value,
    text,
    try_cast(text as double) as number,
    row_number() over by_value as place,
    row_count,
    cast(sum(row_count) over (partition by attribute) as bigint) as table_size
from texts
window by_value as (
    partition by attribute order by try_cast(text as double) nulls last, text nulls last
);

-- step 5 of 15
-- table_values_of_diagnosis: the values of diagnosis in the whole table
-- reads:   counted_values
-- returns: one row per value
create view sqlanon.table_values_of_diagnosis as
select value, text, number, place, row_count, table_size
from sqlanon.counted_values
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
create table sqlanon.proof_of_distinct_values as
with composed_values as (
    select
        attribute,
        text,
        number,
        -- without invisible characters, in lower case, composed (NFC)
        nfc_normalize(lower(nfc_normalize(regexp_replace(
            coalesce(text, ''),
            '[\p{Cf}\x{34F}\x{115F}-\x{1160}\x{17B4}-\x{17B5}\x{180B}-\x{180F}\x{2065}\x{2800}' ||
            '\x{3164}\x{FE00}-\x{FE0F}\x{FFA0}\x{FFF0}-\x{FFF8}\x{E0000}-\x{E0FFF}]+',
            '', 'g'
        )))) as composed
    from sqlanon.counted_values
    where attribute in ('diagnosis')
),
written_values as (
    select
        attribute,
        number,
        -- with one letter for all of its forms (NFKC), and white space as one blank
        trim(regexp_replace(
            nfc_normalize(
                replace(replace(replace(replace(replace(replace(replace(replace(replace(
                replace(replace(replace(replace(replace(replace(replace(replace(replace(
                replace(replace(replace(replace(replace(replace(
                translate(
                    composed,
                    'ª²³µ¹ºſςϐϑϕϖϰϱϲϵ‑․⁰ⁱ⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ℓⅰⅴⅹ①②③④⑤⑥⑦⑧⑨！＂＃＄％＆＇（）＊' ||
                    '＋，－．／０１２３４５６７８９：；＜＝＞？＠［＼］＾＿｀ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～｟｠｡｢｣､･ｦｧｨｩｪ' ||
                    'ｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ￠￡￢￤￥￦',
                    'a23μ1osσβθφπκρσε‐.0i456789+−=()n0123456789+−=()livx123456789!"#$%&''()*' ||
                    '+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~⦅⦆。「」、・ヲァィゥェ' ||
                    'ォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゙゚¢£¬¦¥₩'
                ), '´', ' ́'), '¼', '1⁄4'), '½', '1⁄2'), '¾', '3⁄4'), 'ß', 'ss'), 'և', 'եւ'),
                'ำ', 'ํา'), 'ຳ', 'ໍາ'), '…', '...'), '℃', '°c'), '№', 'no'), '™', 'tm'),
                'ⅱ', 'ii'), 'ⅲ', 'iii'), 'ⅳ', 'iv'), 'ⅵ', 'vi'), 'ⅶ', 'vii'),
                'ⅷ', 'viii'), 'ⅸ', 'ix'), 'ﬀ', 'ff'), 'ﬁ', 'fi'), 'ﬂ', 'fl'), 'ﬃ', 'ffi'),
                'ﬄ', 'ffl')
            ),
            '[\s\p{Z}\p{Cc}]+', ' ', 'g'
        ), ' ') as written,
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
            '[\x{A8}\x{AF}\x{B8}\x{132}-\x{133}\x{13F}-\x{140}\x{149}\x{1C4}-\x{1CC}' ||
            '\x{1F1}-\x{1F3}\x{2B0}-\x{2B8}\x{2D8}-\x{2DD}\x{2E0}-\x{2E4}\x{345}\x{37A}' ||
            '\x{384}-\x{385}\x{3D2}-\x{3D4}\x{675}-\x{678}\x{EDC}-\x{EDD}\x{F0C}' ||
            '\x{F77}-\x{F79}\x{10FC}\x{1C80}-\x{1C88}\x{1D2C}-\x{1D2E}\x{1D30}-\x{1D3A}' ||
            '\x{1D3C}-\x{1D4D}\x{1D4F}-\x{1D6A}\x{1D78}\x{1D9B}-\x{1DBF}\x{1E9A}-\x{1E9B}' ||
            '\x{1F80}-\x{1FAF}\x{1FB2}-\x{1FB4}\x{1FB7}-\x{1FC4}\x{1FC7}-\x{1FCF}' ||
            '\x{1FDD}-\x{1FDF}\x{1FED}-\x{1FF4}\x{1FF7}-\x{1FFE}\x{2017}\x{2025}' ||
            '\x{2033}-\x{2034}\x{2036}-\x{2037}\x{203C}\x{203E}\x{2047}-\x{2049}\x{2057}' ||
            '\x{2090}-\x{209C}\x{20A8}\x{2100}-\x{2102}\x{2105}-\x{2107}\x{2109}-\x{2112}' ||
            '\x{2115}\x{2119}-\x{211D}\x{2120}-\x{2121}\x{2124}\x{2128}\x{212C}-\x{212D}' ||
            '\x{212F}-\x{2139}\x{213B}-\x{2140}\x{2145}-\x{2149}\x{2150}-\x{217F}\x{2189}' ||
            '\x{222C}-\x{222D}\x{222F}-\x{2230}\x{2469}-\x{24EA}\x{2A0C}\x{2A74}-\x{2A76}' ||
            '\x{2C7C}-\x{2C7D}\x{2D6F}\x{2E9F}\x{2EF3}-\x{2FD5}\x{3036}\x{3038}-\x{303A}' ||
            '\x{309B}-\x{309C}\x{309F}\x{30FF}\x{3131}-\x{318E}\x{3192}-\x{319F}' ||
            '\x{3200}-\x{3247}\x{3250}-\x{327E}\x{3280}-\x{33FF}\x{A69C}-\x{A69D}\x{A770}' ||
            '\x{A7F2}-\x{A7F4}\x{A7F8}-\x{A7F9}\x{AB5C}-\x{AB5F}\x{AB69}\x{FB05}-\x{FB17}' ||
            '\x{FB20}-\x{FBB1}\x{FBD3}-\x{FD3D}\x{FD50}-\x{FDC7}\x{FDF0}-\x{FDFC}' ||
            '\x{FE10}-\x{FE19}\x{FE30}-\x{FE44}\x{FE47}-\x{FE72}\x{FE74}-\x{FFEE}' ||
            '\x{10781}-\x{107BA}\x{1D400}-\x{1D7FF}\x{1EE00}-\x{1EEBB}\x{1F100}-\x{1F10A}' ||
            '\x{1F110}-\x{1F12E}\x{1F130}-\x{1F14F}\x{1F16A}-\x{1F16C}\x{1F190}' ||
            '\x{1F200}-\x{1F251}\x{1FBF0}-\x{1FBF9}]'
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
        is_unknown,
        count(*) over (partition by attribute, plain) as same_texts,
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
order by attribute;

select case
    when count(*) > 0
        then error('sqlanon: proof_of_distinct_values found violations; nothing is published')
    else 'holds'
end as proof_of_distinct_values
from sqlanon.proof_of_distinct_values;

-- step 7 of 15
-- release: what plan.yml publishes of patients.csv, in the order of the published values
--   sex             as in the source
--   born            by decade, such as 1980s
--   zip             2 characters masked from the right, such as 123**
--   marital_status  one value for all
--   diagnosis, cost as in the source
--   not published   patient_id, name (identifiers); rows of classes that break a promise
--   decides         which rows are kept: sex, born, zip, marital_status, diagnosis
--   promise         every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise         every class holds at least 2 different values of diagnosis
copy (
with source as not materialized (
    select sex, born, zip, marital_status, diagnosis, cost
    from read_csv('patients.csv', hive_partitioning = false, header = true, all_varchar = true,
        quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ',')
),
generalized as not materialized (
    select
        sex,
        cast(year(cast(born as timestamp)) // 10 * 10 as varchar) || 's' as born,
        substring(zip, 1, greatest(length(zip) - 2, 0))
            || repeat('*', least(2, length(zip))) as zip,
        '*' as marital_status,
        diagnosis, cost
    from source
),
class_values_of_diagnosis as (
    select sex, born, zip, diagnosis as value, count(*) as value_count
    from generalized
    group by sex, born, zip, diagnosis
),
classes as (
    select sex, born, zip, cast(sum(value_count) as bigint) as class_size
    from class_values_of_diagnosis
    group by sex, born, zip
),
k_anonymity as (
    select sex, born, zip, class_size, class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    select sex, born, zip, count(*) as diversity, count(*) >= 2 as satisfied
    from class_values_of_diagnosis as class_values
    group by sex, born, zip
),
published_classes as (
    select sex, born, zip, row_number() over (order by sex, born, zip) as place
    from (
        select sex, born, zip from k_anonymity where satisfied
        intersect
        select sex, born, zip from l_diversity where satisfied
    ) as satisfied_classes
)
select generalized.*
from generalized
inner join published_classes
    on published_classes.sex is not distinct from generalized.sex
    and published_classes.born is not distinct from generalized.born
    and published_classes.zip is not distinct from generalized.zip
order by published_classes.place, generalized.diagnosis, generalized.cost
) to 'target/plan/staged.parquet' (format parquet);

-- step 8 of 15
-- published_rows: the publication, as any reader of the file sees it
-- returns: one row per published row
create view sqlanon.published_rows as
select *
from read_parquet('target/plan/staged.parquet', hive_partitioning = false);

-- step 9 of 15
-- proof_of_rows: an empty publication proves nothing, so it counts as a violation
-- reads:   published_rows
-- returns: one row if nothing was published; otherwise no row
create table sqlanon.proof_of_rows as
select 'nothing was published' as violation
from (
    select count(*) as row_count
    from sqlanon.published_rows
) as counted_rows
where counted_rows.row_count = 0;

select case
    when count(*) > 0
        then error('sqlanon: proof_of_rows found violations; nothing is published')
    else 'holds'
end as proof_of_rows
from sqlanon.proof_of_rows;

-- step 10 of 15
-- published_combinations: the one pass over the publication; all promises are judged on this table
-- reads:   published_rows; no result of the search
-- returns: one row per distinct combination of published quasi-identifiers, values
--   text_of_diagnosis   diagnosis
--   row_count   published rows   [rows]
-- nulls:   a null is a value of its own
create table sqlanon.published_combinations as
select
    sex, born, zip, marital_status, cast(diagnosis as varchar) as text_of_diagnosis,
    count(*) as row_count
from sqlanon.published_rows
group by sex, born, zip, marital_status, diagnosis;

-- step 11 of 15
-- published_equivalence_classes: rows that share all published quasi-identifiers
-- reads:   published_combinations
-- returns: one row per class
--   class_size  published rows
-- nulls:   a null is a value of its own
create table sqlanon.published_equivalence_classes as
select sex, born, zip, marital_status, cast(sum(row_count) as bigint) as class_size
from sqlanon.published_combinations
group by sex, born, zip, marital_status;

-- step 12 of 15
-- proof_of_values_of_diagnosis: every published diagnosis is a value that the promises counted
-- reads:   published_combinations, table_values_of_diagnosis
-- returns: one row if a value is not
create table sqlanon.proof_of_values_of_diagnosis as
select cast(sum(combinations.row_count) as bigint) as unknown_rows
from sqlanon.published_combinations as combinations
left join sqlanon.table_values_of_diagnosis as table_values
    on table_values.text is not distinct from combinations.text_of_diagnosis
where table_values.value is null
having count(*) > 0;

select case
    when count(*) > 0
        then error('sqlanon: proof_of_values_of_diagnosis found violations; nothing is published')
    else 'holds'
end as proof_of_values_of_diagnosis
from sqlanon.proof_of_values_of_diagnosis;

-- step 13 of 15
-- published_class_values_of_diagnosis: how often each diagnosis occurs in each published class
-- reads:   published_combinations, table_values_of_diagnosis
-- returns: one row per class and value
--   value        code of the value
--   value_count  rows
create table sqlanon.published_class_values_of_diagnosis as
select
    combinations.sex, combinations.born, combinations.zip, combinations.marital_status,
    table_values.value, cast(sum(combinations.row_count) as bigint) as value_count
from sqlanon.published_combinations as combinations
inner join sqlanon.table_values_of_diagnosis as table_values
    on table_values.text is not distinct from combinations.text_of_diagnosis
group by
    combinations.sex, combinations.born, combinations.zip, combinations.marital_status,
    table_values.value;

-- step 14 of 15
-- proof_of_k_anonymity: published classes that break the promise; no row means that every
--   published row shares its quasi-identifiers with at least 4 others (k = 5)
-- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
-- reads:   sqlanon.published_equivalence_classes, and the relations named below
-- returns: one row per failing class; a class that no check has judged fails
create table sqlanon.proof_of_k_anonymity as
select classes.*, judged_classes.class_size as measured
from sqlanon.published_equivalence_classes as classes
left join (
    select sex, born, zip, marital_status, class_size, class_size >= 5 as satisfied
    from sqlanon.published_equivalence_classes as classes
) as judged_classes
    on judged_classes.sex is not distinct from classes.sex
    and judged_classes.born is not distinct from classes.born
    and judged_classes.zip is not distinct from classes.zip
    and judged_classes.marital_status is not distinct from classes.marital_status
where not coalesce(judged_classes.satisfied, false);

select case
    when count(*) > 0
        then error('sqlanon: proof_of_k_anonymity found violations; nothing is published')
    else 'holds'
end as proof_of_k_anonymity
from sqlanon.proof_of_k_anonymity;

-- step 15 of 15
-- proof_of_l_diversity: published classes that break the promise; no row means that every class
--   holds at least 2 different values of diagnosis
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.published_equivalence_classes, and the relations named below
-- returns: one row per failing class; a class that no check has judged fails
create table sqlanon.proof_of_l_diversity as
select classes.*, judged_classes.diversity as measured
from sqlanon.published_equivalence_classes as classes
left join (
    select sex, born, zip, marital_status, count(*) as diversity, count(*) >= 2 as satisfied
    from sqlanon.published_class_values_of_diagnosis as class_values
    group by sex, born, zip, marital_status
) as judged_classes
    on judged_classes.sex is not distinct from classes.sex
    and judged_classes.born is not distinct from classes.born
    and judged_classes.zip is not distinct from classes.zip
    and judged_classes.marital_status is not distinct from classes.marital_status
where not coalesce(judged_classes.satisfied, false);

select case
    when count(*) > 0
        then error('sqlanon: proof_of_l_diversity found violations; nothing is published')
    else 'holds'
end as proof_of_l_diversity
from sqlanon.proof_of_l_diversity;

-- proven: one row if every proof holds; otherwise an error. Without this table nothing is
--   published, even if the shell continues after errors
-- reads:   proof_of_distinct_values, proof_of_rows, proof_of_values_of_diagnosis,
--   proof_of_k_anonymity, proof_of_l_diversity, source_rows, published_rows
-- returns: one row
create table sqlanon.proven as
with violations as (
    select count(*) as violation_count from sqlanon.proof_of_distinct_values
    union all select count(*) as violation_count from sqlanon.proof_of_rows
    union all select count(*) as violation_count from sqlanon.proof_of_values_of_diagnosis
    union all select count(*) as violation_count from sqlanon.proof_of_k_anonymity
    union all select count(*) as violation_count from sqlanon.proof_of_l_diversity
),
sums as (
    select sum(violation_count) as violation_count
    from violations
),
source_count as (
    select count(*) as row_count
    from sqlanon.source_rows
),
published_count as (
    select count(*) as row_count
    from sqlanon.published_rows
)
select case
    when sums.violation_count > 0
        then error('sqlanon: a proof failed; nothing is published')
    -- at most a share of 0.03 of the rows is suppressed
    when published_count.row_count > source_count.row_count
        or source_count.row_count - published_count.row_count
            > 0.03 * source_count.row_count
        then error('sqlanon: rows are missing; nothing is published')
    else 'proven'
end as verdict
from sums
cross join source_count
cross join published_count;

-- the proven rows, at their final place
copy (
    select staged.*
    from read_parquet('target/plan/staged.parquet', hive_partitioning = false) as staged
    where (select count(*) from sqlanon.proven) = 1
) to 'patients_k5.parquet' (format parquet);
