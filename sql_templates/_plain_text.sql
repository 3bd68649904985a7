{# What readers take for the same text: one rule for search, proof, verify and dbt.
   Invisible characters go; then case folding with compatibility forms (NFKC), as far as databases can.
   tests/source/test_alike_values.py compares every character with Unicode. #}
{% macro composed(value) -%}
{# in lower case, composed (NFC), without the characters that Unicode calls ignorable, and blank braille -#}
nfc_normalize(lower(nfc_normalize(regexp_replace(
            coalesce({{ value }}, ''),
            '[\p{Cf}\x{34F}\x{115F}-\x{1160}\x{17B4}-\x{17B5}\x{180B}-\x{180F}\x{2065}\x{2800}' ||
            '\x{3164}\x{FE00}-\x{FE0F}\x{FFA0}\x{FFF0}-\x{FFF8}\x{E0000}-\x{E0FFF}]+',
            '', 'g'
        ))))
{%- endmacro %}
{% macro plain(composed) -%}
{# with one letter for each of its forms, several for those that stand for several, and one blank for white space -#}
trim(regexp_replace(
            nfc_normalize(
                replace(replace(replace(replace(replace(replace(replace(replace(replace(
                replace(replace(replace(replace(replace(replace(replace(replace(replace(
                replace(replace(replace(replace(replace(replace(
                translate(
                    {{ composed }},
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
        ), ' ')
{%- endmacro %}
{% macro unknown() -%}
{# other letters that Unicode (NFKC case folding) takes for forms of others -#}
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
{%- endmacro %}
