-- decided_classes: which classes are published, and which suppressed
--   promise: every published row shares its quasi-identifiers with at least 4 others (k = 5)
-- reads:   classes
-- returns: one row per class
--   satisfied   the class holds every promise, never null
--   published   its rows are published
with classes as (
    -- all classes belong to one lattice node, number 0
    select
        0 as node,
        class_1,
        class_2,
        class_size
    from sqlanon.classes
),
k_anonymity as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4 others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5, never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        node,
        class_1,
        class_2,
        class_size,
        class_size >= 5 as satisfied
    from classes
),
judged_classes as (
    -- satisfied: the class holds every privacy model
    select
        k_anonymity.node,
        k_anonymity.class_1,
        k_anonymity.class_2,
        k_anonymity.class_size,
        k_anonymity.satisfied as satisfied
    from k_anonymity
),
decided_classes as (
    -- classes that fail are suppressed, row for row
    select
        node,
        class_1,
        class_2,
        class_size,
        satisfied,
        satisfied as published
    from judged_classes
)
select
    class_1,
    class_2,
    class_size,
    satisfied,
    published
from decided_classes
