//! How two versions of a record become one, and how old properties say so (spec 01 §2.7).

use oxlake_model::TableVersion;

use crate::{Error, Result, keys};

/// Which of two versions of a record wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeMode {
    /// The one written later.
    CommitTime,
    /// The one with the greater ordering value, on a tie the one written later.
    EventTime,
    /// A class of the JVM engine decides.
    Custom {
        /// The merger's id.
        strategy_id: Option<String>,
        /// The payload class.
        payload_class: Option<String>,
    },
}

/// What happens to fields that an update leaves open (version 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialUpdateMode {
    /// A field with its default value keeps the stored value.
    IgnoreDefaults,
    /// A field with a marker value keeps the stored value.
    FillUnavailable,
}

pub(crate) const EVENT_TIME_STRATEGY: &str = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5";
pub(crate) const COMMIT_TIME_STRATEGY: &str = "ce9acb64-bde0-424c-9b91-f6ebba25356d";
pub(crate) const PAYLOAD_STRATEGY: &str = "00000000-0000-0000-0000-000000000000";

const PAYLOAD_PACKAGE: &str = "org.apache.hudi.common.model.";

/// Payload classes that version 9 replaced by modes: short name, mode by event time.
const LEGACY_PAYLOADS: [(&str, bool); 8] = [
    ("AWSDmsAvroPayload", false),
    ("DefaultHoodieRecordPayload", true),
    ("EventTimeAvroPayload", true),
    ("OverwriteNonDefaultsWithLatestAvroPayload", false),
    ("OverwriteWithLatestAvroPayload", false),
    ("PartialUpdateAvroPayload", true),
    ("debezium.MySqlDebeziumAvroPayload", true),
    ("debezium.PostgresDebeziumAvroPayload", true),
];

impl MergeMode {
    /// The value of `hoodie.record.merge.mode`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::CommitTime => "COMMIT_TIME_ORDERING",
            Self::EventTime => "EVENT_TIME_ORDERING",
            Self::Custom { .. } => "CUSTOM",
        }
    }

    /// The payload class that older engines need to hear for this mode.
    pub(crate) fn payload_class(&self) -> Option<String> {
        match self {
            Self::CommitTime => Some(format!("{PAYLOAD_PACKAGE}OverwriteWithLatestAvroPayload")),
            Self::EventTime => Some(format!("{PAYLOAD_PACKAGE}DefaultHoodieRecordPayload")),
            Self::Custom { payload_class, .. } => payload_class.clone(),
        }
    }

    /// The merger's id that belongs to this mode.
    pub(crate) fn strategy_id(&self) -> String {
        match self {
            Self::CommitTime => COMMIT_TIME_STRATEGY.to_owned(),
            Self::EventTime => EVENT_TIME_STRATEGY.to_owned(),
            Self::Custom { strategy_id, .. } => strategy_id
                .clone()
                .unwrap_or_else(|| PAYLOAD_STRATEGY.to_owned()),
        }
    }
}

/// What properties or options say about merging, before it is put together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MergeHints<'a> {
    pub(crate) mode: Option<&'a str>,
    pub(crate) payload_class: Option<&'a str>,
    pub(crate) strategy_id: Option<&'a str>,
    pub(crate) has_ordering_fields: bool,
}

impl MergeHints<'_> {
    /// The mode that follows, by the rules of the table's version.
    ///
    /// # Errors
    /// [`Error::Contradiction`] when a given mode is not the one that follows from payload class and
    /// strategy, or these two contradict each other on version 8; [`Error::BadValue`] for an unknown
    /// mode.
    pub(crate) fn resolve(&self, version: TableVersion) -> Result<MergeMode> {
        let given = self.given_mode()?;
        let by_payload = self
            .payload_class
            .map(|class| self.by_payload(class, version));
        // Version 6 writes the id of its default merger always: it says nothing there.
        let by_strategy = match version {
            TableVersion::V6 => None,
            TableVersion::V8 | TableVersion::V9 => self.strategy_id.map(|id| self.by_strategy(id)),
        };
        let inferred = match (by_strategy, by_payload) {
            (Some(MergeMode::Custom { .. }), Some(payload)) => payload,
            (Some(strategy), Some(payload)) if strategy != payload => {
                return Err(Error::Contradiction {
                    key: keys::table::MERGE_STRATEGY_ID.name.to_owned(),
                    value: self.strategy_id.unwrap_or_default().to_owned(),
                    other: format!("the payload class asks for {}", payload.as_str()),
                });
            }
            (Some(mode), _) | (None, Some(mode)) => mode,
            (None, None) => return Ok(given.unwrap_or_else(|| self.by_ordering())),
        };
        match given {
            Some(given) if given.as_str() != inferred.as_str() => Err(Error::Contradiction {
                key: keys::table::MERGE_MODE.name.to_owned(),
                value: given.as_str().to_owned(),
                other: format!(
                    "payload class and merge strategy of the table ask for {}",
                    inferred.as_str()
                ),
            }),
            _ => Ok(inferred),
        }
    }

    fn given_mode(&self) -> Result<Option<MergeMode>> {
        match self.mode.map(str::trim) {
            None | Some("") => Ok(None),
            Some("COMMIT_TIME_ORDERING") => Ok(Some(MergeMode::CommitTime)),
            Some("EVENT_TIME_ORDERING") => Ok(Some(MergeMode::EventTime)),
            Some("CUSTOM") => Ok(Some(self.custom())),
            Some(other) => Err(Error::BadValue {
                key: keys::table::MERGE_MODE.name.to_owned(),
                value: other.to_owned(),
                expected: "COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING or CUSTOM".to_owned(),
            }),
        }
    }

    pub(crate) fn by_ordering(&self) -> MergeMode {
        if self.has_ordering_fields {
            MergeMode::EventTime
        } else {
            MergeMode::CommitTime
        }
    }

    /// Three payload classes are modes by another name; on version 9 all the replaced ones are.
    fn by_payload(&self, class: &str, version: TableVersion) -> MergeMode {
        let short = class.strip_prefix(PAYLOAD_PACKAGE).unwrap_or(class);
        let known = LEGACY_PAYLOADS.iter().find(|(name, _)| *name == short);
        match (known, version) {
            (Some((_, event_time)), TableVersion::V9) => plain(*event_time),
            (Some((name, event_time)), _)
                if matches!(
                    *name,
                    "DefaultHoodieRecordPayload"
                        | "EventTimeAvroPayload"
                        | "OverwriteWithLatestAvroPayload"
                ) =>
            {
                plain(*event_time)
            }
            _ => self.custom(),
        }
    }

    fn by_strategy(&self, id: &str) -> MergeMode {
        match id {
            EVENT_TIME_STRATEGY => MergeMode::EventTime,
            COMMIT_TIME_STRATEGY => MergeMode::CommitTime,
            _ => self.custom(),
        }
    }

    fn custom(&self) -> MergeMode {
        MergeMode::Custom {
            strategy_id: self.strategy_id.map(str::to_owned),
            payload_class: self.payload_class.map(str::to_owned),
        }
    }
}

fn plain(event_time: bool) -> MergeMode {
    if event_time {
        MergeMode::EventTime
    } else {
        MergeMode::CommitTime
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: &str = "org.apache.hudi.common.model.DefaultHoodieRecordPayload";
    const LATEST: &str = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload";
    const PARTIAL: &str = "org.apache.hudi.common.model.PartialUpdateAvroPayload";

    #[track_caller]
    fn check(
        version: TableVersion,
        (mode, payload_class, strategy_id): (Option<&str>, Option<&str>, Option<&str>),
        has_ordering_fields: bool,
        expected: &str,
    ) {
        let hints = MergeHints {
            mode,
            payload_class,
            strategy_id,
            has_ordering_fields,
        };
        assert_eq!(
            hints.resolve(version).unwrap().as_str(),
            expected,
            "{version:?} {hints:?}"
        );
    }

    #[test]
    fn ordering_fields_decide_when_nothing_is_said() {
        for version in TableVersion::ALL {
            check(version, (None, None, None), true, "EVENT_TIME_ORDERING");
            check(version, (None, None, None), false, "COMMIT_TIME_ORDERING");
            check(
                version,
                (Some("COMMIT_TIME_ORDERING"), None, None),
                true,
                "COMMIT_TIME_ORDERING",
            );
        }
    }

    #[test]
    fn version_6_goes_by_the_payload_and_never_by_the_strategy() {
        let v6 = TableVersion::V6;
        check(
            v6,
            (None, Some(LATEST), Some(EVENT_TIME_STRATEGY)),
            true,
            "COMMIT_TIME_ORDERING",
        );
        check(
            v6,
            (None, Some(DEFAULT), Some(EVENT_TIME_STRATEGY)),
            false,
            "EVENT_TIME_ORDERING",
        );
        check(
            v6,
            (None, None, Some(EVENT_TIME_STRATEGY)),
            false,
            "COMMIT_TIME_ORDERING",
        );
        check(
            v6,
            (None, Some(PARTIAL), Some(EVENT_TIME_STRATEGY)),
            true,
            "CUSTOM",
        );
    }

    #[test]
    fn version_8_goes_by_the_strategy_and_refuses_contradictions() {
        let v8 = TableVersion::V8;
        check(
            v8,
            (None, Some(DEFAULT), Some(EVENT_TIME_STRATEGY)),
            true,
            "EVENT_TIME_ORDERING",
        );
        check(
            v8,
            (None, Some(PARTIAL), Some(PAYLOAD_STRATEGY)),
            true,
            "CUSTOM",
        );
        check(
            v8,
            (None, None, Some(COMMIT_TIME_STRATEGY)),
            true,
            "COMMIT_TIME_ORDERING",
        );
        let contradiction = MergeHints {
            payload_class: Some(LATEST),
            strategy_id: Some(EVENT_TIME_STRATEGY),
            ..MergeHints::default()
        };
        assert!(matches!(
            contradiction.resolve(v8),
            Err(Error::Contradiction { .. })
        ));
    }

    #[test]
    fn version_9_knows_the_modes_of_the_replaced_payloads() {
        let v9 = TableVersion::V9;
        for (name, event_time) in LEGACY_PAYLOADS {
            let class = format!("{PAYLOAD_PACKAGE}{name}");
            check(
                v9,
                (None, Some(&class), None),
                false,
                plain(event_time).as_str(),
            );
        }
        check(v9, (None, Some("com.example.Mine"), None), true, "CUSTOM");
        check(
            v9,
            (
                Some("CUSTOM"),
                Some("com.example.Mine"),
                Some(PAYLOAD_STRATEGY),
            ),
            true,
            "CUSTOM",
        );
    }

    #[test]
    fn a_mode_that_contradicts_the_payload_is_refused() {
        let hints = MergeHints {
            mode: Some("COMMIT_TIME_ORDERING"),
            payload_class: Some(DEFAULT),
            ..MergeHints::default()
        };
        assert!(hints.resolve(TableVersion::V9).is_err());
        let unknown = MergeHints {
            mode: Some("LATEST"),
            ..MergeHints::default()
        };
        assert!(matches!(
            unknown.resolve(TableVersion::V9),
            Err(Error::BadValue { .. })
        ));
    }
}
