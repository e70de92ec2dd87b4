//! What the configuration says, and what comes of it.

use crate::identity::Origin;
use crate::text::visible;
use crate::workspace::{Outlook, Planned, Said, Why, header};

use super::super::{ConfiguredTag, ConfiguredTags, Explained};
use super::{COUNTS, Page, told};

impl Page<'_> {
    pub(super) fn planned(&mut self, it: &Explained) {
        if it.outlook.is_none() && it.tags.is_none() {
            return;
        }
        self.heading("  Planned: what the configuration says, and what the next apply makes of it");
        if let Some(tags) = &it.tags {
            self.configured(tags);
        }
        if let Some((takes, evidence)) = &it.takes {
            self.inner("type", &format!("{takes} ({evidence})"));
        }
        if let Some(unreached) = &it.unreached {
            let place = self.place(&unreached.place);
            let declaration = &unreached.declaration;
            self.inner(
                "",
                &format!("the {declaration} at {place} does not reach it"),
            );
        }
        match &it.outlook {
            Some(outlook) => self.outlook(it, outlook),
            None => {
                let text = match self.refused_in_advance(it) {
                    Some(reason) => format!("no identity: {reason} ({})", reason.name()),
                    None => "not known before it is there".to_owned(),
                };
                self.inner("after apply", &text);
            }
        }
    }

    fn configured(&mut self, configured: &ConfiguredTags) {
        let (own, default) = configured.tags.split_at(2);
        self.section("tags", own, None);
        let provider = match &configured.provider {
            Some(block) => {
                let name = block.block().label().unwrap_or_default().to_owned();
                format!("of provider {name:?} at {}", self.place(&header(block)))
            }
            None if default.iter().any(is_unknown) => {
                "of a provider block that cannot be told".to_owned()
            }
            None => "its provider has no block".to_owned(),
        };
        self.section("default_tags", default, Some(&provider));
        if let Some(place) = &configured.ignore_changes {
            let text = format!("names its tags, or may ({})", self.place(place));
            self.inner("ignore_changes", &text);
        }
        if let Some(place) = &configured.ignore_tags {
            let text = format!("of its provider may name its tags ({})", self.place(place));
            self.inner("ignore_tags", &text);
        }
    }

    /// What a section says, and whose it is.
    fn section(&mut self, label: &str, tags: &[ConfiguredTag], of: Option<&str>) {
        let said: Vec<_> = tags.iter().filter(|it| !it.tag.is_absent()).collect();
        let mut label = label;
        if said.is_empty() {
            let of = of.map(|it| format!(" ({it})")).unwrap_or_default();
            return self.inner(label, &format!("no gantrycd tag{of}"));
        }
        match said[..] {
            // whatever keeps one from being known keeps the other
            [a, b] if is_unknown(a) && is_unknown(b) && a.unknown == b.unknown => {
                self.inner(label, "not known: there may be gantrycd tags, or none");
                self.unknown(a);
            }
            _ => {
                for it in said {
                    self.tag(label, it);
                    label = "";
                }
            }
        }
        if let Some(of) = of {
            self.inner("", of);
        }
    }

    fn tag(&mut self, label: &str, it: &ConfiguredTag) {
        let counts = if it.counts { COUNTS } else { "" };
        let key = it.key;
        match &it.tag.value {
            Said::Text(text, origin) => {
                self.line(&format!("    {label:<14} {key} = {text:?}{counts}"));
                let Some(origin) = origin else {
                    return;
                };
                let how = if origin.computed {
                    "computed"
                } else {
                    "written"
                };
                self.inner("", &format!("{how} at {}", self.place(&origin.place)));
                for it in origin.references() {
                    let place = self.place(&it.place);
                    self.inner("", &format!("through {} at {place}", it.reference));
                }
            }
            Said::Sensitive => {
                self.line(&format!(
                    "    {label:<12} {key} = (sensitive value){counts}"
                ));
                self.key(it);
            }
            Said::Unknown => {
                self.line(&format!("    {label:<14} {key} is not known"));
                self.key(it);
                self.unknown(it);
            }
            Said::Absent => {}
        }
    }

    fn unknown(&mut self, it: &ConfiguredTag) {
        for unknown in &it.unknown {
            let reference = visible(&unknown.reference);
            let place = self.place(&unknown.place);
            self.inner("", &format!("{reference} {} ({place})", unknown.why));
        }
    }

    fn key(&mut self, it: &ConfiguredTag) {
        if let Some(key) = &it.tag.key {
            self.inner("", &format!("its key is written at {}", self.place(key)));
        }
    }

    fn outlook(&mut self, it: &Explained, outlook: &Outlook) {
        let is_recorded = it.record(self.snapshot).is_some();
        let why = outlook.why;
        let text = match (&outlook.planned, why) {
            (Planned::Same, Why::Configured) => "the same, by its tags as configured".to_owned(),
            (Planned::Same, Why::DataSource | Why::NoConfiguration | Why::Unfound) => {
                format!("not known: {why}")
            }
            (Planned::Same, Why::NotKnown | Why::DefaultsOnly | Why::IgnoresTags) => {
                format!("taken to be the same: {why}")
            }
            (Planned::Same, why) => format!("the same: {why}"),
            (Planned::Gone, why) => format!("gone from the state: {why}"),
            (Planned::Reads(Some(identity)), why) => format!("reads {}: {why}", told(identity)),
            (Planned::Reads(None), _) => {
                "reads another object by its arn argument; in which realm is not known".to_owned()
            }
            (Planned::Changed(Err(reason)), _) => {
                format!("no identity: {reason} ({})", reason.name())
            }
            (Planned::Changed(Ok(identity)), _) if is_recorded => {
                let by = match identity.origin {
                    Origin::Declared => ", the id that its tag declares",
                    Origin::Discovered | Origin::Unstated => "",
                };
                format!("{}{by}", told(identity))
            }
            (Planned::Changed(Ok(identity)), why) => format!("{}: {why}", told(identity)),
        };
        self.inner("after apply", &text);
        let moved = it
            .row
            .and_then(|it| self.snapshot.row(it).moved_to.as_ref());
        if let Some(address) = moved {
            self.inner("", &format!("moved to {address}"));
        }
    }
}

fn is_unknown(tag: &ConfiguredTag) -> bool {
    matches!(tag.tag.value, Said::Unknown)
}
