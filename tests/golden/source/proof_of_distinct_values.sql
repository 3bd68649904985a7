-- proof_of_distinct_values: values of sensitive attributes that readers would take for the same,
--   but that promises count as different
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
        nfc_normalize(lower(nfc_normalize(regexp_replace(
            coalesce(text, ''),
            '[\p{Cf}\x{34F}\x{115F}-\x{1160}\x{17B4}-\x{17B5}\x{180B}-\x{180F}\x{2065}\x{2800}' ||
            '\x{3164}\x{FE00}-\x{FE0F}\x{FFA0}\x{FFF0}-\x{FFF8}\x{E0000}-\x{E0FFF}]+',
            '', 'g'
        )))) as composed
    from sqlanon.counted_values
    where attribute in ('diagnosis', 'salary')
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
order by attribute
