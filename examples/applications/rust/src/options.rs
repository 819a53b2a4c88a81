// The command line of the programs.

use std::{collections::HashMap, env};

/// Reads words that stand alone, and words that a positive number follows, which keeps its value where it is not
/// given. None: a word has no meaning.
pub fn read(
    numbers: &[(&'static str, u64)],
    flags: &[&'static str],
) -> Option<(HashMap<&'static str, u64>, Vec<&'static str>)> {
    let (mut found, mut set) = (HashMap::from_iter(numbers.iter().copied()), Vec::new());
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        if let Some(flag) = flags.iter().find(|flag| **flag == word) {
            set.push(*flag);
            continue;
        }
        let number = found.get_mut(word.as_str())?;
        *number = words.next()?.parse().ok().filter(|given| *given > 0)?;
    }
    Some((found, set))
}
