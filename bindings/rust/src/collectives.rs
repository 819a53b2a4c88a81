//! One collective call an iteration, root 0.

use crate::{
    environment,
    ffi::Callbacks,
    memory::{Memory, Shape},
    running::run_together,
};
use mpi::{collective::SystemOperation, traits::*};

pub fn prepare_barrier(callbacks: &mut Callbacks) {
    let world = environment::world();
    run_together(move || world.barrier(), callbacks);
}

pub fn prepare<S: Shape>(benchmark: &str, memory: &Memory, callbacks: &mut Callbacks) {
    let world = environment::world();
    let root = world.process_at_rank(0);
    let here = memory.0.rank == 0;
    // SAFETY: a benchmark takes what it sends and what it receives once; these are distinct, and bcast has one buffer.
    let sent_one = || S::one(unsafe { memory.outgoing(memory.count()) });
    let sent_all = || unsafe { memory.outgoing::<S::Element>(memory.count_of_all()) };
    let received_one = || S::one_mut(unsafe { memory.incoming(memory.count()) });
    let received_all = || unsafe { memory.incoming::<S::Element>(memory.count_of_all()) };
    match benchmark {
        "bcast" => {
            let buffer = received_one();
            run_together(move || root.broadcast_into(buffer), callbacks);
        }
        "reduce" if here => {
            let (sent, received) = (sent_one(), received_one());
            run_together(move || root.reduce_into_root(sent, received, SystemOperation::sum()), callbacks);
        }
        "reduce" => {
            let sent = sent_one();
            run_together(move || root.reduce_into(sent, SystemOperation::sum()), callbacks);
        }
        "allreduce" => {
            let (sent, received) = (sent_one(), received_one());
            run_together(move || world.all_reduce_into(sent, received, SystemOperation::sum()), callbacks);
        }
        "gather" if here => {
            let (sent, received) = (sent_one(), received_all());
            run_together(move || root.gather_into_root(sent, received), callbacks);
        }
        "gather" => {
            let sent = sent_one();
            run_together(move || root.gather_into(sent), callbacks);
        }
        "scatter" if here => {
            let (sent, received) = (sent_all(), received_one());
            run_together(move || root.scatter_into_root(sent, received), callbacks);
        }
        "scatter" => {
            let received = received_one();
            run_together(move || root.scatter_into(received), callbacks);
        }
        "allgather" => {
            let (sent, received) = (sent_one(), received_all());
            run_together(move || world.all_gather_into(sent, received), callbacks);
        }
        _ => {
            let (sent, received) = (sent_all(), received_all());
            run_together(move || world.all_to_all_into(sent, received), callbacks);
        }
    }
}
