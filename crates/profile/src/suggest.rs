//! Names to offer for one that there is not.

use crate::names::escape;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Names offered when the one given fits none.
const MAX_OFFERED: usize = 8;

/// `; there are a, b` or, of many names, `; of 900 the nearest are a, b`; empty if there is none.
/// `known` may have a name several times.
pub(crate) fn offer<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut seen = HashSet::new();
    let mut known: Vec<&str> = known
        .into_iter()
        .filter(|name| seen.insert(*name))
        .collect();
    if known.is_empty() {
        return String::new();
    }
    let count = known.len();
    let head = if count <= MAX_OFFERED {
        "; there are".to_owned()
    } else {
        let wanted = name.to_lowercase();
        let mut near: Vec<(f64, &str)> = known
            .iter()
            .map(|known| (nearness(&wanted, &known.to_lowercase()), *known))
            .collect();
        near.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
        known = near.into_iter().map(|(_, known)| known).collect();
        known.truncate(MAX_OFFERED);
        format!("; of {count} the nearest are")
    };
    let names: Vec<String> = known.iter().map(|name| escape(name)).collect();
    format!("{head} {}", names.join(", "))
}

/// From 0 to 1: of the whole name or its last part, such as `push` of `alloc::vec::Vec<T>::push`.
fn nearness(wanted: &str, known: &str) -> f64 {
    if known.contains(wanted) {
        return 1.0;
    }
    let last = known.rsplit([':', '.', '/']).next().unwrap_or(known);
    [known, last]
        .map(|known| strsim::normalized_damerau_levenshtein(wanted, known))
        .into_iter()
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::offer;

    #[test]
    fn few_names_are_all_offered_and_of_many_the_nearest() {
        assert_eq!(offer("x", []), "");
        assert_eq!(offer("x", ["b", "a", "b"]), "; there are b, a");
        let many: Vec<String> = (0..20).map(|i| format!("func[{i}]")).collect();
        let names = many.iter().map(String::as_str);
        let names = names.chain(["core::fmt::write", "sqlite3_step", "Parser::parse_expr"]);
        let of = |name: &str| offer(name, names.clone());
        assert!(of("sqlite3_setp").starts_with("; of 23 the nearest are sqlite3_step, "));
        assert!(of("SQLITE3").starts_with("; of 23 the nearest are sqlite3_step, "));
        assert!(of("parse_exp").starts_with("; of 23 the nearest are Parser::parse_expr, "));
        assert_eq!(of("func").matches("func[").count(), 8);
    }
}
