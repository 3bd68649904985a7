select
{{ keys.select("class_distances", class_key) }}    class_distances.distance,
{% if excess %}
    case when class_distances.distance <= {{ t | number }} + 0.000000001 then 0
        else greatest(
            1,
            ceil(
                class_distances.class_size
                    * (class_distances.distance - {{ t | number }} - 0.000000001)
                    / (1 - {{ t | number }})
                    - 0.000001
            )
        )
    end as excess_rows,
{% endif %}
    class_distances.distance <= {{ t | number }} + 0.000000001 as satisfied
from class_distances
