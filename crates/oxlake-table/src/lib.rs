//! Open, create and list a table.
