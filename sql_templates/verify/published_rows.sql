{#- inputs: relation str -#}
-- published_rows: the publication, as anybody who has the file reads it
select *
from {{ relation }}
