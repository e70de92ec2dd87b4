//! What the system says of another process. Only Linux says it; 0 elsewhere.

#![allow(dead_code)] // everybody takes a part of it

use std::fs;
use std::time::Duration;

/// Memory that a process holds, in bytes.
pub fn memory(process: u32) -> u64 {
    status(process, "VmRSS:")
}

/// The most memory that it ever held, in bytes.
pub fn peak_memory(process: u32) -> u64 {
    status(process, "VmHWM:")
}

fn status(process: u32, key: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix(key));
    let kilobytes = line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Time that it spent on a processor, all its threads together.
pub fn processor_time(process: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // the name in parentheses may hold spaces; `utime` and `stime` are fields 14 and 15
    let fields = stat.rsplit_once(')').map_or("", |(_, it)| it);
    let ticks = fields.split_ascii_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|it| it.parse::<u64>().ok()).sum();
    // `USER_HZ` is 100 on every Linux
    Duration::from_millis(ticks * 10)
}
