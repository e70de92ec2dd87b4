//! Cached state: the bytes of one file → its rows, whatever of the formats it is. What a file is,
//! its content says, never its name.
//!
//! Knows no files and no HCL, and nothing of what a row's values mean. A state holds secrets: only
//! what a [`Row`] has is ever built, a sensitive value is hidden before it leaves this module, and
//! no problem quotes what stands in a file.

mod attributes;
mod inventory;
mod json;
mod names;
mod problem;
mod sensitive;
mod shared;
mod show;
pub mod stored;
mod v4;

use std::io::{Cursor, Read, Seek, SeekFrom};

use arcstr::ArcStr;

pub use inventory::Decided;
pub use problem::{NotRead, Problem};

use crate::identity::Row;
use crate::text;
use inventory::Inventory;
use json::{Field, Reader, Seen, Shape, object};
use names::Names;

/// What one file says of one stack.
#[derive(Clone, Debug)]
pub struct State {
    /// How it is written.
    pub format: Format,
    /// Grows with every change of the state; `show -json` does not print it.
    pub serial: Option<u64>,
    /// Common to all serials of one state, and to no other; `show -json` does not print it.
    pub lineage: Option<Box<str>>,
    /// The stack's name, which only an inventory has.
    pub name: Option<Box<str>>,
    /// In the order of the file.
    pub records: Vec<Record>,
}

/// The formats that are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A state file of Terraform since 0.12, or of OpenTofu.
    StateV4,
    /// `show -json` of a state.
    ShowState,
    /// `show -json` of a plan: the state that it was made from.
    ShowPlan,
    /// What `gantrycd-ls refresh` writes for one stack.
    Inventory,
}

impl Format {
    /// As it stands in the output.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::StateV4 => "state-v4",
            Format::ShowState => "show-state",
            Format::ShowPlan => "show-plan",
            Format::Inventory => "inventory",
        }
    }
}

/// One row.
#[derive(Clone, Debug)]
pub struct Record {
    /// What the state says; in an inventory, without attributes.
    pub row: Row,
    /// What was decided of it. Only in an inventory, and there always.
    pub decided: Option<Box<Decided>>,
}

impl From<Row> for Record {
    fn from(row: Row) -> Self {
        Record { row, decided: None }
    }
}

/// Reads one file that is all here.
///
/// # Errors
/// As [`read_from`].
pub fn read(bytes: &[u8]) -> Result<State, NotRead> {
    read_from(&mut Cursor::new(bytes))
}

/// Reads one file, of any length: no more of it is in memory at a time than a window, and the rows.
///
/// # Errors
/// Why there is nothing to be read in it. A file is read as a whole or not at all; only an entry
/// that is malformed in itself is left out.
pub fn read_from(file: &mut (impl Read + Seek)) -> Result<State, NotRead> {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let mut head = Vec::with_capacity(64);
    file.take(64).read_to_end(&mut head)?;
    if text::is_utf16(&head) {
        return Err(Problem::Utf16.into());
    }
    let start = if head.starts_with(BOM) { BOM.len() } else { 0 };
    if head[start..].starts_with(b"version https://git-lfs.github.com/spec/") {
        return Err(Problem::LfsPointer.into());
    }
    let start = start as u64;
    let top: File = parse(file, start)?;
    let mut state = match top.format()? {
        Format::StateV4 => top.v4(),
        Format::ShowState => top.show_state(),
        Format::ShowPlan => top.show_plan(),
        Format::Inventory => parse::<Inventory>(file, start)?.state(),
    }?;
    state.records.shrink_to_fit();
    Ok(state)
}

/// Reads the JSON that begins at a byte of the file.
fn parse<T: Shape>(file: &mut (impl Read + Seek), start: u64) -> Result<T, NotRead> {
    file.seek(SeekFrom::Start(start))?;
    let mut json = Reader::new(file);
    let first = json.peek();
    if matches!(first, Ok(None)) {
        return Err(NotRead::Empty);
    }
    let is_object = matches!(first, Ok(Some(b'{')));
    let read = Field::read(&mut json).and_then(|value| json.end().map(|()| value));
    let value = read.map_err(|fault| {
        let fault = if is_object {
            fault
        } else {
            fault.at_the_start()
        };
        NotRead::of(fault, file, start)
    })?;
    Ok(value.get().ok_or(Problem::NotAState)?)
}

/// The top of a file of any format.
#[derive(Default)]
struct File {
    version: Field<u64>,
    serial: Field<u64>,
    lineage: Field<ArcStr>,
    resources: Field<v4::Resources>,
    modules: Seen,
    encryption_version: Seen,
    encrypted_data: Seen,
    format_version: Field<ArcStr>,
    values: Field<show::Values>,
    prior_state: Field<show::PriorState>,
    planned_values: Seen,
    resource_changes: Seen,
    provider_schemas: Seen,
    valid: Seen,
    function_signatures: Seen,
}

object!(File {
    b"version" => version,
    b"serial" => serial,
    b"lineage" => lineage,
    b"resources" => resources,
    b"modules" => modules,
    b"encryption_version" => encryption_version,
    b"encrypted_data" => encrypted_data,
    b"format_version" => format_version,
    b"values" => values,
    b"prior_state" => prior_state,
    b"planned_values" => planned_values,
    b"resource_changes" => resource_changes,
    b"provider_schemas" => provider_schemas,
    b"valid" => valid,
    b"function_signatures" => function_signatures,
});

impl File {
    fn format(&self) -> Result<Format, Problem> {
        if self.encryption_version.is_there() || self.encrypted_data.is_there() {
            return Err(Problem::Encrypted);
        }
        match self.version {
            Field::Is(4) => return Ok(Format::StateV4),
            // Terraform 0.6 wrote state format 1, which has no resources but in its modules.
            Field::Is(1) if self.modules.is_there() => return Err(Problem::OldFormat(1)),
            Field::Is(1) => return Ok(Format::Inventory),
            Field::Is(old @ 2..=3) => return Err(Problem::OldFormat(old)),
            Field::Is(new @ 5..) => return Err(Problem::NewFormat(new)),
            _ => {}
        }
        let Field::Is(format_version) = &self.format_version else {
            return Err(Problem::NotAState);
        };
        let major = format_version.split('.').next().unwrap_or_default();
        match major.parse() {
            Ok(0..=1) => {}
            Ok(new) => return Err(Problem::NewShowFormat(new)),
            Err(_) => return Err(Problem::NotAState),
        }
        let is_plan = self.planned_values.is_there()
            || self.resource_changes.is_there()
            || !matches!(self.prior_state, Field::Absent);
        match self.values {
            Field::Absent if is_plan => Ok(Format::ShowPlan),
            // what `providers schema`, `validate`, `metadata functions` and `modules` print
            Field::Absent
                if self.provider_schemas.is_there()
                    || self.valid.is_there()
                    || self.function_signatures.is_there()
                    || self.modules.is_there() =>
            {
                Err(Problem::NotAState)
            }
            // Of an empty state nothing but the version is printed.
            _ => Ok(Format::ShowState),
        }
    }

    fn v4(self) -> Result<State, Problem> {
        let records = self.resources.or_default().ok_or(Problem::NotAState)?.0;
        Ok(State {
            format: Format::StateV4,
            serial: self.serial.get(),
            lineage: self.lineage.get().map(|it| (&*it).into()),
            name: None,
            records,
        })
    }

    fn show_state(self) -> Result<State, Problem> {
        show(Format::ShowState, self.values)
    }

    fn show_plan(self) -> Result<State, Problem> {
        let prior = self.prior_state.or_default().ok_or(Problem::NotAState)?;
        show(Format::ShowPlan, prior.values)
    }
}

fn show(format: Format, values: Field<show::Values>) -> Result<State, Problem> {
    let values = values.or_default().ok_or(Problem::NotAState)?;
    Ok(State {
        format,
        serial: None,
        lineage: None,
        name: None,
        records: values.rows(&mut Names::default())?,
    })
}
