//! Record merging over Arrow rows.
