//! Projection, conditions, pruning, limits: the same rows as without them.
