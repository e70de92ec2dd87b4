//! The order of decision, rule by rule.
//!
//! What is decided and what is told of it come from one walk along one list: no explanation can
//! disagree with the decision that it explains.

use super::{Identity, NoIdentity, Row};

/// What a row is, or why nobody can say.
pub type Decision = Result<Identity, NoIdentity>;

/// What an inventory states of a row: by what it is known, or why it is not.
pub type Stated<'a> = Result<&'a Identity, &'a NoIdentity>;

/// One rule of the order of decision. The first that decides counts.
#[derive(Debug)]
pub struct Rule {
    /// Its stable name, which is part of the output format.
    pub name: &'static str,
    /// What it asks of a row.
    pub question: &'static str,
    /// The answer with which a row goes on to the next rule.
    pub passed: &'static str,
    /// The sections that it consults, and what each says.
    pub consults: fn(&Case) -> Vec<Consulted>,
    /// What it decides; with `None` the row goes on. This runs for every row of every state: it
    /// allocates nothing unless it decides.
    pub decide: fn(&Case) -> Option<Decision>,
}

/// A section of a state or of the configuration that a rule consults.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Consulted {
    /// `provider`, `comment`, `tags`, `tags_all`, `type`, `arn`, `catalog_id` or `inventory`.
    pub section: &'static str,
    /// Of tags, which one.
    pub key: Option<&'static str>,
    /// What it says.
    pub heard: Heard,
    /// Whether it is the one that counts.
    pub counts: bool,
}

/// What a section says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// This, verbatim. A sensitive value is hidden before it gets here.
    Text(Box<str>),
    /// Nothing, in these words.
    Nothing(&'static str),
}

/// What the rules are asked about.
#[derive(Debug)]
pub struct Case<'a> {
    /// The row.
    pub row: &'a Row,
    /// Whether an ignore comment covers its block.
    pub ignored: bool,
    /// Whether rules for its provider are mounted.
    pub(super) is_supported: bool,
    /// What an inventory states of it.
    pub(super) stated: Option<Stated<'a>>,
    /// Those that are common to all providers, and the provider's own behind them.
    pub(super) rules: [&'static [Rule]; 2],
}

/// How a row was decided.
#[derive(Debug)]
pub struct Trace {
    /// The rules that were asked, in order. The last one decided.
    pub steps: Vec<Step>,
    /// The rules behind it.
    pub not_reached: Vec<&'static Rule>,
    /// What was decided.
    pub decision: Decision,
}

/// One rule as it was asked.
#[derive(Debug)]
pub struct Step {
    /// Which rule.
    pub rule: &'static Rule,
    /// What it heard.
    pub consulted: Vec<Consulted>,
    /// What it decided, if it did.
    pub decision: Option<Decision>,
}

impl<'a> Case<'a> {
    /// A row of an inventory, which has no attributes but says what was decided.
    pub fn stated(row: &'a Row, ignored: bool, stated: Stated<'a>) -> Self {
        Self {
            row,
            ignored,
            is_supported: false,
            stated: Some(stated),
            rules: [STATED, &[]],
        }
    }

    /// What the row is, its mode aside.
    ///
    /// # Errors
    /// The first reason, in the order of the contract, for which it has no identity.
    pub fn decide(&self) -> Decision {
        self.walk(|_, _| {})
    }

    /// The same, step by step.
    pub fn trace(&self) -> Trace {
        let mut steps = Vec::new();
        let decision = self.walk(|rule, decision| {
            steps.push(Step {
                rule,
                consulted: (rule.consults)(self),
                decision: decision.cloned(),
            });
        });
        Trace {
            not_reached: self.rules().skip(steps.len()).collect(),
            steps,
            decision,
        }
    }

    fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        self.rules.into_iter().flatten()
    }

    fn walk(&self, mut asked: impl FnMut(&'static Rule, Option<&Decision>)) -> Decision {
        for rule in self.rules() {
            let decision = (rule.decide)(self);
            asked(rule, decision.as_ref());
            if let Some(decision) = decision {
                return decision;
            }
        }
        // a list that does not come to an end asserts nothing
        Err(NoIdentity::NoArn)
    }
}

impl Consulted {
    /// The only section of its rule.
    pub fn only(section: &'static str, text: Option<&str>, absent: &'static str) -> Self {
        Self {
            section,
            key: None,
            heard: Heard::new(text, absent),
            counts: text.is_some(),
        }
    }
}

impl Heard {
    /// What is said, or how it is told that nothing is.
    pub fn new(text: Option<&str>, absent: &'static str) -> Self {
        match text {
            Some(text) => Heard::Text(text.into()),
            None => Heard::Nothing(absent),
        }
    }
}

/// What is asked before the rules of a provider.
pub(super) const COMMON: &[Rule] = &[PROVIDER, COMMENT];

/// What is asked of a row that somebody else decided.
const STATED: &[Rule] = &[COMMENT, INVENTORY];

const PROVIDER: Rule = Rule {
    name: "provider",
    question: "Does gantrycd have rules for its provider?",
    passed: "yes",
    consults: |it| vec![Consulted::only("provider", Some(&it.row.provider), "")],
    decide: |it| (!it.is_supported).then_some(Err(NoIdentity::UnsupportedProvider)),
};

const COMMENT: Rule = Rule {
    name: "comment",
    question: "Does an ignore comment opt its block out?",
    passed: "no",
    consults: |it| {
        let comment = it.ignored.then_some(super::comment::IGNORE);
        vec![Consulted::only("comment", comment, "none that is honoured")]
    },
    decide: |it| it.ignored.then_some(Err(NoIdentity::OptedOutByComment)),
};

const INVENTORY: Rule = Rule {
    name: "inventory",
    question: "What does the inventory state?",
    passed: "nothing",
    consults: |it| {
        let id = it.stated.and_then(Result::ok).map(|it| &*it.id);
        vec![Consulted::only("inventory", id, "no identity")]
    },
    decide: |it| Some(it.stated?.cloned().map_err(NoIdentity::clone)),
};

#[cfg(test)]
mod tests {
    use super::super::{Address, Attributes, Origin};
    use super::*;

    #[test]
    fn what_an_inventory_states_counts_unless_a_comment_opts_it_out() {
        let row = Row {
            address: Address::parse("aws_vpc.v").unwrap(),
            // not asked: whoever wrote the inventory knew
            provider: "".into(),
            deposed: None,
            attributes: Attributes::default(),
        };
        let identity = Identity {
            id: "net/a".into(),
            realm: None,
            origin: Origin::Unstated,
        };
        let told = |ignored, stated| {
            let case = Case::stated(&row, ignored, stated);
            let trace = case.trace();
            let decided = format!("{:?}", case.decide());
            assert_eq!(format!("{:?}", trace.decision), decided);
            let names = trace
                .steps
                .iter()
                .map(|it| it.rule.name)
                .collect::<Vec<_>>();
            let decision = trace
                .decision
                .map(|it| it.to_string())
                .map_err(|it| it.name());
            (names.join(" "), decision)
        };
        let comment = Err(NoIdentity::OptedOutByComment.name());
        assert_eq!(told(true, Ok(&identity)), ("comment".to_owned(), comment));
        let both = "comment inventory".to_owned();
        assert_eq!(
            told(false, Ok(&identity)),
            (both.clone(), Ok("net/a".to_owned()))
        );
        let foreign = NoIdentity::ForeignArn("x".into());
        assert_eq!(told(false, Err(&foreign)), (both, Err("foreign-arn")));
    }
}
