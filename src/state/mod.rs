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
mod written;

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::time::SystemTime;

use arcstr::ArcStr;

pub use inventory::Decided;
pub use problem::{NotRead, Problem};
pub use written::{Columns, Reason, Resource, Written};

use crate::identity::Row;
use crate::text;
use inventory::Inventory;
use json::{Fault, Field, Reader, Seen, Shape, object};
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
    /// When it was what its stack had, which only an inventory says.
    pub cached_at: Option<SystemTime>,
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
    /// What the state says; in an inventory that has none, without attributes.
    pub row: Row,
    /// What was decided of it: of every row of an inventory without attributes. Of one with them, only
    /// where a comment opted it out, which the attributes do not tell.
    pub decided: Option<Box<Decided>>,
}

impl Record {
    /// What was decided of it where that counts, whatever the configuration says.
    pub fn stated(&self) -> Option<&Decided> {
        let decided = self.decided.as_deref();
        decided.filter(|it| !it.is_by_comment)
    }

    /// Whether a comment opted its block out when an inventory was made that has its attributes, too.
    /// It counts where there is no configuration that could be asked.
    pub fn was_ignored(&self) -> bool {
        self.decided.as_ref().is_some_and(|it| it.is_by_comment)
    }
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
    let mut head = Vec::with_capacity(64);
    file.take(64).read_to_end(&mut head)?;
    let start = start(&head)? as u64;
    let top: File = parse(file, start)?;
    let mut state = match top.state()? {
        Some(state) => state,
        None => parse::<Inventory>(file, start)?.state()?,
    };
    state.records.shrink_to_fit();
    Ok(state)
}

/// Reads what a command prints, as it prints it: nothing of it can be read twice, and it is kept
/// nowhere.
///
/// # Errors
/// As [`read_from`], but for an inventory, which nobody prints.
pub fn read_stream(stream: &mut impl Read) -> Result<State, NotRead> {
    let mut head = Vec::with_capacity(64);
    stream.take(64).read_to_end(&mut head)?;
    let start = start(&head)?;
    let mut whole = Cursor::new(&head[start..]).chain(stream);
    let top: File = parsed(&mut whole).map_err(NotRead::of_stream)??;
    let mut state = top.state()?.ok_or(Problem::NotAState)?;
    state.records.shrink_to_fit();
    Ok(state)
}

/// Where the JSON begins in a file that begins so.
fn start(head: &[u8]) -> Result<usize, Problem> {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    if text::is_utf16(head) {
        return Err(Problem::Utf16);
    }
    let start = if head.starts_with(BOM) { BOM.len() } else { 0 };
    match head[start..].starts_with(b"version https://git-lfs.github.com/spec/") {
        true => Err(Problem::LfsPointer),
        false => Ok(start),
    }
}

/// Reads the JSON that begins at a byte of the file.
fn parse<T: Shape>(file: &mut (impl Read + Seek), start: u64) -> Result<T, NotRead> {
    file.seek(SeekFrom::Start(start))?;
    parsed(file).map_err(|fault| NotRead::of(fault, file, start))?
}

/// Reads JSON to its end. The outer error is what is wrong with it as JSON.
fn parsed<T: Shape>(stream: &mut impl Read) -> Result<Result<T, NotRead>, Fault> {
    let mut json = Reader::new(stream);
    let first = json.peek();
    if matches!(first, Ok(None)) {
        return Ok(Err(NotRead::Empty));
    }
    let is_object = matches!(first, Ok(Some(b'{')));
    let read = Field::read(&mut json).and_then(|value| json.end().map(|()| value));
    let value = read.map_err(|fault| match is_object {
        true => fault,
        false => fault.at_the_start(),
    })?;
    Ok(value.get().ok_or(Problem::NotAState.into()))
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
    /// `None` of an inventory, which is read in another shape.
    fn state(self) -> Result<Option<State>, Problem> {
        match self.format()? {
            Format::StateV4 => self.v4().map(Some),
            Format::ShowState => self.show_state().map(Some),
            Format::ShowPlan => self.show_plan().map(Some),
            Format::Inventory => Ok(None),
        }
    }

    fn format(&self) -> Result<Format, Problem> {
        if self.encryption_version.is_there() || self.encrypted_data.is_there() {
            return Err(Problem::Encrypted);
        }
        match self.version {
            Field::Is(4) => return Ok(Format::StateV4),
            // Terraform 0.6 wrote state format 1, which has no resources but in its modules.
            Field::Is(1) if self.modules.is_there() => return Err(Problem::OldFormat(1)),
            Field::Is(1) => return Ok(Format::Inventory),
            // Formats 2 and 3 had their resources in modules, too.
            Field::Is(new @ 2..=3) if !self.modules.is_there() && self.resources.is_there() => {
                return Err(Problem::NewInventory(new));
            }
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
            cached_at: None,
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
        cached_at: None,
        records: values.rows(&mut Names::default())?,
    })
}
