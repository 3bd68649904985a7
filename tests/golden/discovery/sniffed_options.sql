-- sniffed_options: how a CSV file seems to be written, by its first lines
-- reads:   the file
-- returns: one row: delimiter, quote, and whether the first line has names
select delimiter, quote, hasheader as has_header
from sniff_csv('it''s.csv', all_varchar = false, encoding = 'utf-8')
