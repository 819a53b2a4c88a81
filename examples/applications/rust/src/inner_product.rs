// The inner product of two vectors, of which each rank has a part.

use mpi::{collective::SystemOperation, topology::SimpleCommunicator, traits::*};
use std::time::Instant;

/// A compiler may not change the order of additions, so the sum is made of that many sums, which vectors hold.
const LANES: usize = 32;

/// The solver. Its methods are collective.
pub struct InnerProduct<'a> {
    world: &'a SimpleCommunicator,
    x: Vec<f64>,
    y: Vec<f64>,
    /// On rank 0.
    pub value: f64,
    /// Nanoseconds that this rank has spent in reductions.
    pub communication_ns: i64,
}

impl<'a> InnerProduct<'a> {
    /// x_i = 1 / (i + 1) and y_i = (i + 1) (1 + i mod 3), i = 0, 1, ... None on all ranks where one has no memory.
    pub fn new(world: &'a SimpleCommunicator, length: usize) -> Option<Self> {
        let (ranks, rank) = (world.size() as usize, world.rank() as usize);
        let count = length / ranks + usize::from(rank < length % ranks);
        let start = length / ranks * rank + rank.min(length % ranks);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        let (here, mut all) =
            (x.try_reserve_exact(count).is_ok() && y.try_reserve_exact(count).is_ok(), false);
        world.all_reduce_into(&here, &mut all, SystemOperation::logical_and());
        if !all {
            return None;
        }
        x.extend((start..start + count).map(|i| 1.0 / (i + 1) as f64));
        y.extend((start..start + count).map(|i| (i + 1) as f64 * (1 + i % 3) as f64));
        Some(InnerProduct { world, x, y, value: 0.0, communication_ns: 0 })
    }

    pub fn advance(&mut self, iterations: u64) {
        let root = self.world.process_at_rank(0);
        for _ in 0..iterations {
            let mine = multiplied(&self.x, &self.y);
            let begun = Instant::now();
            if self.world.rank() == 0 {
                root.reduce_into_root(&mine, &mut self.value, SystemOperation::sum());
            } else {
                root.reduce_into(&mine, SystemOperation::sum());
            }
            self.communication_ns += begun.elapsed().as_nanos() as i64;
        }
    }
}

fn multiplied(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (of_x, of_y) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let rest: f64 = of_x.remainder().iter().zip(of_y.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in of_x.zip(of_y) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}
