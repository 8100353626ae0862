//! Clock, ids and limits: the only place that reads the real world.
