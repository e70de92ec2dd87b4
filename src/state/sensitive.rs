//! Which of the leaves that are kept a state marks as sensitive. A mark that cannot be understood
//! covers all that it could mean: better a value that is hidden for nothing than one that is shown.
//!
//! Must not see a value that it is to hide.

use std::sync::Arc;

use arcstr::ArcStr;

use super::attributes::{IDENTITY_KEY, REALM_KEY};
use super::json::{Fault, Field, List, Reader, Scalar, Shape, object};
use super::shared::Shared;
use crate::identity::{Attributes, IDENTITY_TAG, REALM_TAG, SENSITIVE, Tags};

/// The kept leaves that are sensitive.
#[derive(Clone, Copy, Default)]
pub(super) struct Sensitive {
    arn: bool,
    catalog_id: bool,
    tags: SensitiveTags,
    tags_all: SensitiveTags,
}

#[derive(Clone, Copy, Default)]
struct SensitiveTags {
    identity: bool,
    realm: bool,
}

impl SensitiveTags {
    const ALL: Self = Self {
        identity: true,
        realm: true,
    };

    fn hide(self, tags: &mut Option<Arc<Tags>>) {
        let Some(tags) = tags.as_mut().filter(|_| self.identity || self.realm) else {
            return;
        };
        let tags = Arc::make_mut(tags);
        for (sensitive, value) in [
            (self.identity, &mut tags.identity),
            (self.realm, &mut tags.realm),
        ] {
            if let Some(value) = value.as_mut().filter(|_| sensitive) {
                *value = SENSITIVE.into();
            }
        }
    }
}

impl Sensitive {
    const ALL: Self = Self {
        arn: true,
        catalog_id: true,
        tags: SensitiveTags::ALL,
        tags_all: SensitiveTags::ALL,
    };

    /// Puts [`SENSITIVE`] in the place of every value that is marked.
    pub fn hide(self, attributes: &mut Attributes) {
        if let Some(arn) = attributes.arn.as_mut().filter(|_| self.arn) {
            *arn = SENSITIVE.into();
        }
        if let Some(catalog_id) = attributes.catalog_id.as_mut().filter(|_| self.catalog_id) {
            *catalog_id = SENSITIVE.into();
        }
        self.tags.hide(&mut attributes.tags);
        self.tags_all.hide(&mut attributes.tags_all);
    }

    fn add_path(&mut self, path: List<Step>) {
        let mut steps = path.into_iter().map(|step| step.get()?.name());
        match steps.next().flatten().as_deref() {
            None => *self = Self::ALL,
            Some("arn") => self.arn = true,
            Some("catalog_id") => self.catalog_id = true,
            Some(section @ ("tags" | "tags_all")) => {
                let tags = match section {
                    "tags" => &mut self.tags,
                    _ => &mut self.tags_all,
                };
                match steps.next().flatten().as_deref() {
                    None => *tags = SensitiveTags::ALL,
                    Some(IDENTITY_TAG) => tags.identity = true,
                    Some(REALM_TAG) => tags.realm = true,
                    Some(_) => {}
                }
            }
            Some(_) => {}
        }
    }
}

/// `sensitive_attributes` of state format 4: a list of paths, each a list of steps.
#[derive(Default)]
pub(super) struct Paths(Sensitive);

impl Field<Paths> {
    pub fn sensitive(self) -> Sensitive {
        self.or_default().map_or(Sensitive::ALL, |paths| paths.0)
    }
}

impl Shape for Paths {
    fn list(json: &mut Reader) -> Result<Option<Self>, Fault> {
        let mut sensitive = Sensitive::default();
        json.list(|json| {
            let path = Field::<List<Step>>::read(json)?;
            sensitive.add_path(path.get().unwrap_or_default());
            Ok(())
        })?;
        Ok(Some(Paths(sensitive)))
    }
}

#[derive(Default)]
struct Step {
    kind: Field<ArcStr>,
    value: Field<StepValue>,
}

object!(Step { b"type" => kind, b"value" => value });

impl Step {
    /// The attribute or the key that the step leads to.
    fn name(self) -> Option<ArcStr> {
        let kind = self.kind.get()?;
        matches!(&*kind, "get_attr" | "index").then_some(self.value.get()?.0)
    }
}

/// A name as it is, or as `{"value": …, "type": …}`.
struct StepValue(ArcStr);

#[derive(Default)]
struct Typed {
    value: Field<ArcStr>,
}

object!(Typed { b"value" => value });

impl Shape for StepValue {
    fn scalar(scalar: Scalar, shared: &mut Shared) -> Option<Self> {
        Shape::scalar(scalar, shared).map(StepValue)
    }

    fn object(json: &mut Reader) -> Result<Option<Self>, Fault> {
        let typed = Typed::object(json)?;
        Ok(typed.and_then(|it| it.value.get()).map(StepValue))
    }
}

/// `sensitive_values` of `show -json`: the values' own shape, with `true` for a sensitive one.
#[derive(Default)]
pub(super) struct Marks {
    all: bool,
    arn: Field<Mark>,
    catalog_id: Field<Mark>,
    tags: Field<TagMarks>,
    tags_all: Field<TagMarks>,
}

object!(Marks {
    b"arn" => arn,
    b"catalog_id" => catalog_id,
    b"tags" => tags,
    b"tags_all" => tags_all,
}
fn scalar(scalar: Scalar, shared: &mut Shared) -> Option<Self> {
    let Mark(all) = Mark::scalar(scalar, shared)?;
    Some(Self { all, ..Self::default() })
});

impl Field<Marks> {
    pub fn sensitive(self) -> Sensitive {
        match self.or_default() {
            Some(marks) if !marks.all => Sensitive {
                arn: marks.arn.covers(),
                catalog_id: marks.catalog_id.covers(),
                tags: marks.tags.sensitive(),
                tags_all: marks.tags_all.sensitive(),
            },
            _ => Sensitive::ALL,
        }
    }
}

#[derive(Default)]
struct TagMarks {
    all: bool,
    identity: Field<Mark>,
    realm: Field<Mark>,
}

object!(TagMarks { IDENTITY_KEY => identity, REALM_KEY => realm }
fn scalar(scalar: Scalar, shared: &mut Shared) -> Option<Self> {
    let Mark(all) = Mark::scalar(scalar, shared)?;
    Some(Self { all, ..Self::default() })
});

impl Field<TagMarks> {
    fn sensitive(self) -> SensitiveTags {
        match self.or_default() {
            Some(marks) if !marks.all => SensitiveTags {
                identity: marks.identity.covers(),
                realm: marks.realm.covers(),
            },
            _ => SensitiveTags::ALL,
        }
    }
}

/// The mark of one leaf.
#[derive(Default)]
struct Mark(bool);

impl Field<Mark> {
    fn covers(self) -> bool {
        self.or_default().is_none_or(|mark| mark.0)
    }
}

impl Shape for Mark {
    fn scalar(scalar: Scalar, _: &mut Shared) -> Option<Self> {
        match scalar {
            Scalar::Bool(mark) => Some(Mark(mark)),
            Scalar::Text(_) | Scalar::Number(_) => None,
        }
    }
}
