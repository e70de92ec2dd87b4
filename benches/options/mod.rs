//! What a benchmark is told on its command line.

/// `--stacks 100,1000` and `--keep`.
pub struct Options {
    /// How large the workspaces are, one after the other.
    pub stacks: Vec<usize>,
    /// Whether they stay on the disk for the next time.
    pub keep: bool,
}

impl Options {
    /// Reads the command line. Cargo adds `--bench`.
    pub fn read(stacks: &[usize]) -> Self {
        let mut options = Self {
            stacks: stacks.to_vec(),
            keep: false,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--bench" => {}
                "--keep" => options.keep = true,
                "--stacks" => {
                    let sizes = arguments.next().unwrap_or_default();
                    let sizes: Result<_, _> = sizes.split(',').map(str::parse).collect();
                    options.stacks = sizes.expect("--stacks is followed by numbers: 100,1000");
                }
                other => panic!("{other} is neither --stacks nor --keep"),
            }
        }
        options
    }
}
