//! Where the tokens of JSON stand: 64 bytes at a time, as bits, without looking at any byte alone.
//!
//! The method is that of simdjson's first stage: <https://arxiv.org/abs/1902.08318>. Knows no
//! grammar and no files.

use wide::{u8x32, u8x64};

/// How many bytes are looked at together.
pub(super) const BLOCK: usize = 64;

/// What the blocks so far leave open.
#[derive(Default)]
pub(super) struct Marker {
    /// 1 when the first byte of the next block is escaped by a backslash.
    escaped: u64,
    /// All ones when the next block starts within a text.
    in_text: u64,
    /// 1 when the last byte was one of a number or a word.
    in_scalar: u64,
}

impl Marker {
    /// A bit for each byte that is a token: a bracket, a colon or a comma outside of a text; a quote
    /// that starts one; the first byte of anything else outside of a text; and a control character
    /// within one, which may not be there.
    #[inline]
    pub fn mark(&mut self, block: [u8; BLOCK]) -> u64 {
        let bytes = u8x64::new(block);
        let is = |byte| bytes.simd_eq(u8x64::splat(byte));
        let up_to = |last| bytes.max(u8x64::splat(last)).simd_eq(u8x64::splat(last));
        // `[` and `]` differ in this bit alone from `{` and `}`
        let folded = bytes | u8x64::splat(0x20);
        let brackets = folded.simd_eq(u8x64::splat(b'{')) | folded.simd_eq(u8x64::splat(b'}'));
        let marks = (brackets | is(b',') | is(b':')).to_bitmask();
        let controls = up_to(0x1f).to_bitmask();
        let newlines = is(b'\n').to_bitmask();

        let quotes = is(b'"').to_bitmask() & !self.escaped(is(b'\\').to_bitmask());
        let text = up_to_each(quotes) ^ self.in_text;
        self.in_text = 0_u64.wrapping_sub(text >> 63);

        let mut spaces = up_to(b' ').to_bitmask();
        let odd = controls & !newlines & !text;
        if odd != 0 {
            spaces &= !odd | (is(b'\r') | is(b'\t')).to_bitmask();
        }
        let scalars = !(marks | spaces | text | quotes);
        let starts = scalars & !(scalars << 1 | self.in_scalar);
        self.in_scalar = scalars >> 63;
        (marks & !text) | (quotes & text) | starts | (controls & text)
    }

    /// Whether a text goes on.
    pub fn is_in_text(&self) -> bool {
        self.in_text != 0
    }

    /// The bytes that stand behind a backslash which is not itself escaped.
    #[inline]
    fn escaped(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let before = self.escaped;
        if backslashes == 0 {
            self.escaped = 0;
            return before;
        }
        let may_escape = backslashes & !before;
        let ends = ((may_escape << 1) | ODD).wrapping_sub(may_escape) ^ ODD;
        self.escaped = (ends & backslashes) >> 63;
        ends ^ (backslashes | before)
    }
}

/// Whether a text holds a backslash; `bytes` starts with it. Most keys are shorter than what it
/// takes to call a search.
#[inline]
pub(super) fn has_escape(bytes: &[u8], length: usize) -> bool {
    match bytes.first_chunk::<32>() {
        Some(first) if length <= first.len() => {
            let found = u8x32::new(*first).simd_eq(u8x32::splat(b'\\'));
            u64::from(found.to_bitmask()) & ((1 << length) - 1) != 0
        }
        _ => memchr::memchr(b'\\', &bytes[..length]).is_some(),
    }
}

/// Each bit is the parity of the bits up to it: of the quotes, that is whether a text goes on.
#[inline]
fn up_to_each(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// Where the tokens are, in order.
#[derive(Default)]
pub(super) struct Tokens {
    /// Behind the last one there is room, whatever stands in it.
    places: Vec<u32>,
    pub count: usize,
}

impl Tokens {
    /// Adds those that are marked in the block at this place. No window is so large that 32 bits do
    /// not tell a place in it: no text that is read is that long.
    #[inline]
    pub fn push(&mut self, block: usize, mut marks: u64) {
        // So many are written at a time, there or not: to ask before each takes longer.
        const STEP: usize = 8;
        if self.places.len() < self.count + BLOCK {
            self.places.resize((self.count + BLOCK) * 2, 0);
        }
        let mut rest = &mut self.places[self.count..];
        self.count += marks.count_ones() as usize;
        while marks != 0
            && let Some((now, later)) = rest.split_first_chunk_mut::<STEP>()
        {
            for place in now {
                *place = (block as u32).wrapping_add(marks.trailing_zeros());
                marks &= marks.wrapping_sub(1);
            }
            rest = later;
        }
    }

    #[inline]
    pub fn at(&self, token: usize) -> usize {
        self.places[token] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, byte by byte.
    fn marked(text: &[u8]) -> Vec<usize> {
        let (mut in_text, mut escaped, mut in_scalar) = (false, false, false);
        let mut marked = Vec::new();
        for (at, &byte) in text.iter().enumerate() {
            let was_scalar = std::mem::take(&mut in_scalar);
            let was_escaped = std::mem::take(&mut escaped);
            escaped = byte == b'\\' && !was_escaped;
            let is_mark = match byte {
                b'"' if !was_escaped => {
                    in_text = !in_text;
                    in_text
                }
                _ if in_text => byte < b' ',
                b'[' | b']' | b'{' | b'}' | b':' | b',' => true,
                b' ' | b'\n' | b'\r' | b'\t' => false,
                _ => {
                    in_scalar = true;
                    !was_scalar
                }
            };
            if is_mark {
                marked.push(at);
            }
        }
        marked
    }

    #[test]
    fn blocks_are_marked_as_bytes_are() {
        let bytes = b"\\\\\\\"\"\"[]{}:,,  \n\r\tab01\x00\x1f\x7f\x80\xff;[Kz\x0c\x1a";
        let mut random = 1_u64;
        for _ in 0..2_000 {
            let text: Vec<u8> = (0..BLOCK * 4)
                .map(|_| {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    bytes[(random % bytes.len() as u64) as usize]
                })
                .collect();
            let mut marker = Marker::default();
            let mut found = Vec::new();
            for (number, block) in text.as_chunks::<BLOCK>().0.iter().enumerate() {
                let marks = marker.mark(*block);
                let set = (0..BLOCK).filter(|bit| marks >> bit & 1 == 1);
                found.extend(set.map(|bit| number * BLOCK + bit));
            }
            assert_eq!(
                found,
                marked(&text),
                "{:?}",
                text.escape_ascii().to_string()
            );
        }
    }
}
