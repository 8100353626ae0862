//! Load and store instants, active and archived.
