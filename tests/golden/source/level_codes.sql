-- level_codes: the position of each level in the packed key, and the mask that keeps it
--   The key of a row is one integer. Each attribute owns some of its bits, with coarser levels in
--   higher bits: key & mask turns a value into its label at a level. A lattice node is the sum of
--   its attributes' masks, and key & mask of a node identifies an equivalence class.
-- reads:   level_bits
-- returns: one row per attribute and level
--   word    number of the packed key that contains the attribute: key_1, key_2 ...
--   shift   position of the level's lowest bit in that key      [bits]
--   mask    bits of this level and of all coarser ones
with attribute_words (attribute, word) as (
    values
        ('the "age"', 1),
        ('born', 1),
        ('zip', 1),
        ('select', 1),
        ('longitude', 1),
        ('tôwn', 1),
        ('work', 1),
        ('sex', 2),
        ('diagnosis', 2)
),
placed_levels as (
    select
        level_bits.attribute_number,
        level_bits.attribute,
        level_bits.level,
        attribute_words.word,
        level_bits.bits,
        coalesce(sum(level_bits.bits) over (
            partition by attribute_words.word
            order by level_bits.attribute_number, level_bits.level
            rows between unbounded preceding and 1 preceding
        ), 0) as shift,
        sum(level_bits.bits) over (
            partition by level_bits.attribute
            order by level_bits.level
            rows between current row and unbounded following
        ) as kept_bits
    from sqlanon.level_bits
    inner join attribute_words on attribute_words.attribute = level_bits.attribute
)
select
    attribute_number,
    attribute,
    level,
    word,
    cast(shift as integer) as shift,
    case
        when shift + kept_bits <= 62
            then ((cast(1 as bigint) << cast(kept_bits as integer)) - 1) << cast(shift as integer)
        else error(
            'sqlanon: the hierarchies need more than 62 bits a key; '
            || 'run sqlanon solve and compile again'
        )
    end as mask
from placed_levels
order by attribute_number, level
