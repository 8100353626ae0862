//! DataFusion table provider and session.
