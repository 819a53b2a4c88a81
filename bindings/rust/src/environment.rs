//! MPI itself, which the functions that C calls share: from `begin` to `end`.

use mpi::{environment::Universe, topology::SimpleCommunicator};
use std::{
    cell::{Cell, RefCell},
    thread_local,
};

thread_local! {
    static UNIVERSE: RefCell<Option<Universe>> = const { RefCell::new(None) };
    static WORLD: Cell<Option<&'static SimpleCommunicator>> = const { Cell::new(None) };
}

/// Starts MPI, at the thread level `single`.
pub fn begin() {
    let universe = mpi::initialize().expect("MPI starts once");
    WORLD.set(Some(Box::leak(Box::new(universe.world()))));
    UNIVERSE.set(Some(universe));
}

/// Ends MPI.
pub fn end() {
    drop(UNIVERSE.take());
}

pub fn world() -> &'static SimpleCommunicator {
    WORLD.get().expect("MPI has begun")
}

/// Gives the mode `buffered` room for this many bytes; 0 takes it away.
pub fn attach_buffer(bytes: usize) {
    UNIVERSE.with_borrow_mut(|universe| universe.as_mut().expect("MPI has begun").set_buffer_size(bytes));
}
