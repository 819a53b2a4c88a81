// What the programs share: the start and the end of MPI, the command line, and the exit code.

use mpi::{topology::SimpleCommunicator, traits::*};
use std::{collections::HashMap, env, process::ExitCode};

/// The numbers of the command line by their words.
pub type Numbers = HashMap<&'static str, u64>;

/// Runs a program on all ranks: `run` gets the numbers, and the words that stand alone, and gives whether the result is
/// right, or the sentence why there is none. The exit code is 0, or 1 if it is wrong, or 2 if there is none.
pub fn main(
    usage: &str,
    numbers: &[(&'static str, u64)],
    flags: &[&'static str],
    run: impl FnOnce(&SimpleCommunicator, &Numbers, &[&str]) -> Result<bool, String>,
) -> ExitCode {
    let universe = mpi::initialize().expect("MPI starts once");
    let world = universe.world();
    let outcome = match read(numbers, flags) {
        Some((found, set)) => run(&world, &found, &set),
        None => Err(format!("usage: {usage}")),
    };
    let (code, complaint) = match outcome {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => (1, String::from("The result is wrong.")),
        Err(reason) => (2, reason),
    };
    if world.rank() == 0 {
        eprintln!("{complaint}");
    }
    ExitCode::from(code)
}

/// Reads words that stand alone, and words that a positive number follows, which keeps its value where it is not
/// given. None: a word has no meaning.
fn read(numbers: &[(&'static str, u64)], flags: &[&'static str]) -> Option<(Numbers, Vec<&'static str>)> {
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

/// How many ranks there are, in words.
pub fn ranks_of(world: &SimpleCommunicator) -> String {
    format!("{} rank{}", world.size(), if world.size() == 1 { "" } else { "s" })
}

/// The largest of each value over all ranks, on all ranks.
pub fn largest<const N: usize>(world: &SimpleCommunicator, mine: [f64; N]) -> [f64; N] {
    let mut most = [0.0; N];
    world.all_reduce_into(&mine[..], &mut most[..], mpi::collective::SystemOperation::max());
    most
}
