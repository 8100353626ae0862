//! Pure planners and checks over values.
