//! The inner product in Rust: mpiexec -n 2 inner_product [--length ELEMENTS] [--iterations NUMBER]

#[path = "../inner_product.rs"]
mod inner_product;
#[path = "../options.rs"]
mod options;

use inner_product::InnerProduct;
use mpi::{collective::SystemOperation, topology::SimpleCommunicator, traits::*};
use std::process::ExitCode;

/// Computes, and says how long it took and how exact it is. Whether it is.
fn run(world: &SimpleCommunicator, product: &mut InnerProduct, length: u64, iterations: u64) -> bool {
    product.advance(1); // finds the vectors in the cache, as later ones do
    let before = product.communication_ns;
    world.barrier();
    let begun = mpi::time();
    product.advance(iterations);
    let mine = [mpi::time() - begun, (product.communication_ns - before) as f64 * 1e-9];
    let mut most = [0.0; 2];
    world.all_reduce_into(&mine[..], &mut most[..], SystemOperation::max());
    let exact = 6 * (length / 3) + [0, 1, 3][(length % 3) as usize];
    let mut error = (product.value / exact as f64 - 1.0).abs();
    world.process_at_rank(0).broadcast_into(&mut error);
    let right = error <= 1e-12; // what is added up in another order differs in its last digits
    if world.rank() == 0 {
        let (ranks, [seconds, reductions]) = (world.size(), most);
        let plural = if ranks == 1 { "" } else { "s" };
        println!("{length} elements, {iterations} times, {ranks} rank{plural}");
        println!(
            "{seconds:.3} s, {:.1} million elements a second, at most {:.1} % of it in reductions",
            1e-6 * length as f64 * iterations as f64 / seconds,
            100.0 * reductions / seconds
        );
        println!("inner product: {}, relative error {error:.1e}", product.value);
        if !right {
            eprintln!("The result is wrong.");
        }
    }
    right
}

fn main() -> ExitCode {
    let universe = mpi::initialize().expect("MPI starts once");
    let world = universe.world();
    let complain = |sentence: &str| {
        if world.rank() == 0 {
            eprintln!("{sentence}");
        }
        ExitCode::from(2)
    };
    let Some((numbers, _)) = options::read(&[("--length", 1 << 18), ("--iterations", 100)], &[]) else {
        return complain("usage: inner_product [--length ELEMENTS] [--iterations NUMBER]");
    };
    match InnerProduct::new(&world, numbers["--length"] as usize) {
        Some(mut product) => {
            let right = run(&world, &mut product, numbers["--length"], numbers["--iterations"]);
            ExitCode::from(u8::from(!right))
        }
        None => complain("A rank has no memory for its part of the vectors."),
    }
}
