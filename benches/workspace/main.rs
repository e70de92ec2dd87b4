//! Generates the large workspace in a temporary directory and prints what is in it.

mod generate;

use generate::{Shape, generate};

fn main() -> std::io::Result<()> {
    let root = std::env::temp_dir().join(format!("gantrycd-ls-workspace-{}", std::process::id()));
    let answers = generate(&root, Shape::LARGE);
    std::fs::remove_dir_all(&root)?;
    let answers = answers?;
    println!("{:>12} files", answers.files);
    println!("{:>12} bytes of configuration", answers.file_bytes);
    println!("{:>12} rows", answers.rows);
    println!("{:>12} bytes of state", answers.state_bytes);
    println!("{:>12} duplicates across stacks", answers.duplicates_across);
    println!("{:>12} duplicates in a stack", answers.duplicates_in_stack);
    println!("{:>12} edges", answers.edges);
    Ok(())
}
