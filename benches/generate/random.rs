//! Random numbers, and the sizes of real files.

/// SplitMix64: ours, so that a newer version of somebody else's never changes the workspace.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One of its own for each part of a whole, in whatever order the parts are made.
    pub fn part(seed: u64, part: usize) -> Self {
        let mut of_part = Self(seed ^ (part as u64).wrapping_mul(0xd6e8_feb8_6659_fd93));
        of_part.next();
        of_part
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `limit`, which is not included.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// A number from 0 to 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Bytes of a `.tf` file of which this share of all files is smaller, or a greater share.
    pub fn file_size(&mut self, smaller: f64) -> usize {
        let share = smaller + (1.0 - smaller) * self.share();
        let above = SIZES.partition_point(|(it, _)| *it < share).max(1);
        let ((low, small), (high, large)) = (SIZES[above - 1], SIZES[above]);
        let within = (share - low) / (high - low);
        (small * (large / small).powf(within)) as usize
    }

    fn text(&mut self, alphabet: &[u8], length: usize) -> String {
        let mut letter = || char::from(alphabet[self.below(alphabet.len())]);
        (0..length).map(|_| letter()).collect()
    }

    pub fn hex(&mut self, length: usize) -> String {
        self.text(b"0123456789abcdef", length)
    }

    pub fn base64(&mut self, length: usize) -> String {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        self.text(ALPHABET, length)
    }

    pub fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|it| self.hex(it)).join("-")
    }
}

/// Which share of the `.tf` files is smaller, and than how many bytes: of the 16,768 in
/// ministryofjustice/cloud-platform-environments (12,469), its modernisation-platform-environments
/// (4,099), alphagov/govuk-aws, terraform-aws-modules/terraform-aws-eks and a small one, as of 2026.
/// Their mean is 1,926.
#[rustfmt::skip]
const SIZES: [(f64, f64); 19] = [
    (0.0, 20.0), (0.01, 80.0), (0.05, 257.0), (0.1, 327.0), (0.2, 412.0), (0.3, 683.0),
    (0.4, 877.0), (0.5, 1173.0), (0.6, 1574.0), (0.7, 2067.0), (0.8, 2601.0), (0.9, 3868.0),
    (0.95, 5476.0), (0.98, 8908.0), (0.99, 12815.0), (0.995, 17395.0), (0.998, 29708.0),
    (0.999, 36134.0), (1.0, 91896.0),
];
