-- published_class_count: the classes that a reader of the published rows sees, by their labels
-- reads:   class_labels
-- returns: one row: the number of different combinations of labels
select max(class_position) as class_count
from sqlanon.class_labels
