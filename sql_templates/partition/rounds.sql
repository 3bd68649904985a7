{#- inputs: rounds int -#}
-- regions: all rounds together
-- reads:   regions_of_round_0 to regions_of_round_{{ rounds }}
-- returns: one row per cell, round, and region; a region that is not cut again is a class
{% for round in range(rounds + 1) %}
{{ "union all\n" if not loop.first }}select * from sqlanon.regions_of_round_{{ round }}
{% endfor %}
