"""From a plan to a problem: the source, its population and its hierarchies as tables."""
