//! The type that values of several types can become: what a conditional, a list or a function makes
//! of its parts.
//!
//! <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/convert/unify.go>

use std::sync::Arc;

use super::types::{Type, converts};

/// The one type that values of all of `types` can become.
pub fn unify(types: &[Type], loosely: bool) -> Option<Type> {
    let mut distinct: Vec<&Type> = Vec::new();
    for it in types {
        if !distinct.contains(&it) {
            distinct.push(it);
            if distinct.len() > 64 {
                return Some(Type::Unsure);
            }
        }
    }
    unify_distinct(&distinct, loosely)
}

fn unify_distinct(types: &[&Type], loosely: bool) -> Option<Type> {
    if types.contains(&&Type::Unsure) {
        // nothing but a text is sure to stay what it is beside a type that we do not know
        let rest: Vec<&Type> = types
            .iter()
            .copied()
            .filter(|it| **it != Type::Unsure)
            .collect();
        let rest = match rest.is_empty() {
            true => Some(Type::Unsure),
            false => unify_distinct(&rest, loosely),
        };
        // where the rest has no type in common, it may make all of them texts
        return match rest {
            Some(Type::Text) => Some(Type::Text),
            _ => Some(Type::Unsure),
        };
    }
    let count = |test: fn(&Type) -> bool| types.iter().filter(|it| test(it)).count();
    let any = count(|it| *it == Type::Any);
    let of_kinds = |first: usize, second: usize| first > 0 && first + second + any == types.len();
    let maps = count(|it| matches!(it, Type::Map(_)));
    let lists = count(|it| matches!(it, Type::List(_)));
    let sets = count(|it| matches!(it, Type::Set(_)));
    let objects = count(|it| matches!(it, Type::Object(_)));
    let tuples = count(|it| matches!(it, Type::Tuple(_)));
    if types.len() > 1 && any > 0 {
        let kinds = [maps, lists, sets, objects, tuples];
        if kinds.iter().any(|kind| of_kinds(*kind, 0)) {
            // a null of no type beside them, and cty leaves the type open
            return Some(Type::Any);
        }
    }
    if of_kinds(maps, 0) {
        return unify_elements(types, loosely).map(Type::map);
    }
    if of_kinds(lists, 0) {
        return unify_elements(types, loosely).map(Type::list);
    }
    if of_kinds(sets, 0) {
        return unify_elements(types, loosely).map(Type::set);
    }
    if of_kinds(objects, 0) {
        return unify_objects(types, loosely);
    }
    if of_kinds(tuples, 0) {
        return unify_tuples(types, loosely);
    }
    if maps > 0 && of_kinds(maps, objects) {
        if let Some(it @ (Type::Map(_) | Type::Unsure)) = with_collections(types, loosely) {
            return Some(it);
        }
    } else if lists > 0 && of_kinds(lists, tuples) {
        if let Some(it @ (Type::List(_) | Type::Unsure)) = with_collections(types, loosely) {
            return Some(it);
        }
    } else if objects > 0 && tuples > 0 {
        return None;
    }
    most_general(types, loosely)
}

/// The first of the types, the more general ones before the others, that all others can become.
fn most_general(types: &[&Type], loosely: bool) -> Option<Type> {
    let fits = |wanted: &Type| {
        let mut all = types.iter();
        all.all(|it| *it == wanted || converts(it, wanted, loosely))
    };
    // within one kind cty goes from general to special: text, then the other types, then anything
    let rank = |it: &Type| match it {
        Type::Text => 0,
        Type::Any => 2,
        _ => 1,
    };
    let mut order = types.to_vec();
    order.sort_by_key(|it| rank(it));
    let mut candidates = order.into_iter().filter(|it| fits(it));
    let first = candidates.next()?;
    // a list comes before a set and before tuples
    let best = candidates.fold(first, |best, it| match (best, it) {
        (Type::Tuple(_) | Type::Set(_), Type::List(_)) | (Type::Object(_), Type::Map(_)) => it,
        _ => best,
    });
    Some(best.clone())
}

fn unify_elements(types: &[&Type], loosely: bool) -> Option<Type> {
    let elements: Vec<Type> = types
        .iter()
        .filter_map(|it| it.element().cloned())
        .collect();
    unify(&elements, loosely)
}

/// Objects as maps beside maps, tuples as lists beside lists.
fn with_collections(types: &[&Type], loosely: bool) -> Option<Type> {
    let mut loose: Vec<&Type> = Vec::new();
    let mut collections: Vec<Type> = Vec::new();
    for it in types {
        match it {
            Type::Object(_) | Type::Tuple(_) => loose.push(it),
            it => collections.push((*it).clone()),
        }
    }
    let own = match loose[0] {
        Type::Object(_) => objects_to_map(&loose, loosely)?,
        _ => tuples_to_list(&loose, loosely)?,
    };
    collections.push(own.clone());
    let found = unify(&collections, loosely)?;
    // here cty converts twice and mistakes the first result; it shows in nested types only
    let simple = |it: &Type| it.is_primitive() || *it == Type::Any;
    let nested = own.element().is_some_and(|it| !simple(it));
    if nested && found != own {
        return Some(Type::Unsure);
    }
    Some(found)
}

fn unify_objects(types: &[&Type], loosely: bool) -> Option<Type> {
    let all: Vec<&[(Arc<str>, Type)]> = types
        .iter()
        .filter_map(|it| match it {
            Type::Object(attributes) => Some(&**attributes),
            _ => None,
        })
        .collect();
    let first = all[0];
    let same_names = all
        .iter()
        .all(|it| it.len() == first.len() && it.iter().zip(first).all(|((a, _), (b, _))| a == b));
    if !same_names {
        return objects_to_map(types, loosely);
    }
    let mut attributes = Vec::with_capacity(first.len());
    for (at, (name, _)) in first.iter().enumerate() {
        let across: Vec<Type> = all.iter().map(|it| it[at].1.clone()).collect();
        attributes.push((name.clone(), unify(&across, loosely)?));
    }
    let found = Type::Object(attributes.into());
    all_become(types, found, loosely).or_else(|| objects_to_map(types, loosely))
}

/// `found`, when all of `types` can become it.
fn all_become(types: &[&Type], found: Type, loosely: bool) -> Option<Type> {
    let fits = |it: &&Type| **it == found || converts(it, &found, loosely);
    types.iter().all(fits).then_some(found)
}

fn objects_to_map(types: &[&Type], loosely: bool) -> Option<Type> {
    let elements: Vec<Type> = types
        .iter()
        .flat_map(|it| match it {
            Type::Object(attributes) => attributes.iter().map(|(_, it)| it.clone()).collect(),
            _ => Vec::new(),
        })
        .collect();
    as_collection(types, unify(&elements, loosely).map(Type::map), loosely)
}

fn unify_tuples(types: &[&Type], loosely: bool) -> Option<Type> {
    let all: Vec<&[Type]> = types
        .iter()
        .filter_map(|it| match it {
            Type::Tuple(elements) => Some(&**elements),
            _ => None,
        })
        .collect();
    let length = all[0].len();
    if all.iter().any(|it| it.len() != length) {
        return tuples_to_list(types, loosely);
    }
    let mut elements = Vec::with_capacity(length);
    for at in 0..length {
        let across: Vec<Type> = all.iter().map(|it| it[at].clone()).collect();
        elements.push(unify(&across, loosely)?);
    }
    let found = Type::Tuple(elements.into());
    all_become(types, found, loosely).or_else(|| tuples_to_list(types, loosely))
}

fn tuples_to_list(types: &[&Type], loosely: bool) -> Option<Type> {
    let elements: Vec<Type> = types
        .iter()
        .flat_map(|it| match it {
            Type::Tuple(elements) => elements.to_vec(),
            _ => Vec::new(),
        })
        .collect();
    as_collection(types, unify(&elements, loosely).map(Type::list), loosely)
}

fn as_collection(types: &[&Type], found: Option<Type>, loosely: bool) -> Option<Type> {
    let found = found?;
    let fits = types
        .iter()
        .all(|it| **it == found || converts(it, &found, loosely));
    fits.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(attributes: &[(&str, Type)]) -> Type {
        let attributes = attributes
            .iter()
            .map(|(key, it)| ((*key).into(), it.clone()));
        Type::Object(attributes.collect())
    }

    #[test]
    fn types_unify_as_in_a_conditional() {
        let text = object(&[("a", Type::Text)]);
        let number = object(&[("a", Type::Number)]);
        let other = object(&[("b", Type::Number)]);
        for (types, found) in [
            (vec![Type::Number, Type::Text], Some(Type::Text)),
            (vec![Type::Bool, Type::Number], None),
            (vec![Type::Any, Type::Number], Some(Type::Number)),
            (vec![text.clone(), number.clone()], Some(text.clone())),
            (vec![text.clone(), other], Some(Type::map(Type::Text))),
            (
                vec![Type::map(Type::Bool), text.clone()],
                Some(Type::map(Type::Text)),
            ),
            (vec![text.clone(), Type::Tuple([].into())], None),
            (vec![Type::Unsure, Type::Text], Some(Type::Text)),
            (vec![Type::Unsure, Type::Number], Some(Type::Unsure)),
        ] {
            assert_eq!(unify(&types, true), found, "{types:?}");
        }
    }
}
