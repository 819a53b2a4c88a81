//! The inner product in Rust: mpiexec -n 2 inner_product [--length ELEMENTS] [--iterations NUMBER]

#[path = "../driver.rs"]
mod driver;
#[path = "../inner_product.rs"]
mod inner_product;

use inner_product::InnerProduct;
use mpi::{topology::SimpleCommunicator, traits::*};
use std::process::ExitCode;

/// Computes, and says how long it took and how exact it is. Whether it is.
fn run(world: &SimpleCommunicator, product: &mut InnerProduct, length: u64, iterations: u64) -> bool {
    product.advance(1); // finds the vectors in the cache, as later ones do
    let before = product.communication_ns;
    world.barrier();
    let begun = mpi::time();
    product.advance(iterations);
    let mine = [mpi::time() - begun, (product.communication_ns - before) as f64 * 1e-9];
    let [seconds, reductions] = driver::largest(world, mine);
    let exact = 6 * (length / 3) + [0, 1, 3][(length % 3) as usize];
    let mut error = (product.value / exact as f64 - 1.0).abs();
    world.process_at_rank(0).broadcast_into(&mut error);
    if world.rank() == 0 {
        println!("{length} elements, {iterations} times, {}", driver::ranks_of(world));
        println!(
            "{seconds:.3} s, {:.1} million elements a second, at most {:.1} % of it in reductions",
            1e-6 * length as f64 * iterations as f64 / seconds,
            100.0 * reductions / seconds
        );
        println!("inner product: {}, relative error {error:.1e}", product.value);
    }
    error <= 1e-12 // what is added up in another order differs in its last digits
}

fn main() -> ExitCode {
    driver::main(
        "inner_product [--length ELEMENTS] [--iterations NUMBER]",
        &[("--length", 1 << 18), ("--iterations", 100)],
        &[],
        |world, numbers, _| {
            let mut product = InnerProduct::new(world, numbers["--length"] as usize)
                .ok_or("A rank has no memory for its part of the vectors.")?;
            Ok(run(world, &mut product, numbers["--length"], numbers["--iterations"]))
        },
    )
}
