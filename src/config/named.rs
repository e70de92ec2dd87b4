//! What has names, in a list that is sorted by them: a module has many of these, most of them short.

/// Things by name, sorted by it.
#[derive(Debug)]
pub struct Named<T>(Box<[(Box<str>, T)]>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Box::default())
    }
}

impl<T> FromIterator<(Box<str>, T)> for Named<T> {
    /// Of several with one name, the first.
    fn from_iter<I: IntoIterator<Item = (Box<str>, T)>>(all: I) -> Self {
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all.dedup_by(|later, first| later.0 == first.0);
        Self(all.into())
    }
}

impl<T> Named<T> {
    /// The one with this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.find(name).map(|at| &self.0[at].1)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.find(name).map(|at| &mut self.0[at].1)
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.0.binary_search_by(|(it, _)| (**it).cmp(name)).ok()
    }

    /// Whether there is one with this name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Each with its name, sorted by it.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, it)| (&**name, it))
    }

    /// The names, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// All of them, sorted by name.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.iter().map(|(_, it)| it)
    }
}
