//! Table properties and options, each key declared once.
