//! Every rank says which it is: what a program needs before it does anything.

use mpi::traits::*;

fn main() {
    let universe = mpi::initialize().expect("MPI has not started before");
    let world = universe.world();
    println!("Hello from rank {} of {}", world.rank(), world.size());
}
