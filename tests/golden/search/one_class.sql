-- one_class: all rows as one equivalence class, the most general publication there is
-- reads:   frequency_set
-- returns: one row
--   class_size   source rows   [rows]
select cast(sum(row_count) as bigint) as class_size
from sqlanon.frequency_set
