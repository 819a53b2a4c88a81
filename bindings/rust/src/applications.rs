//! The programs of examples/applications as cases.

use crate::{
    environment,
    ffi::{self, Buffers, Callbacks, Part},
    running::{run_pair, run_together, Running},
};
use mpi::traits::*;
use std::ffi::c_void;

mod wave {
    include!(concat!(env!("POLYMPI_APPLICATIONS"), "/rust/src/wave.rs"));
}
mod inner_product {
    include!(concat!(env!("POLYMPI_APPLICATIONS"), "/rust/src/inner_product.rs"));
}
use inner_product::InnerProduct;
use wave::Wave;

/// A bit for each benchmark that `prepare` has a solver for, and for streams in other modes than the standard one.
pub fn opted_in() -> i64 {
    // SAFETY: the names end with NUL.
    let numbers = [c"stream", c"wave", c"inner-product"]
        .map(|name| unsafe { ffi::polympi_benchmark_number(name.as_ptr()) });
    numbers.iter().map(|number| 1i64 << number).sum()
}

/// What the harness asks of a solver, in addition to iterations.
trait Solver {
    fn restart(&mut self);
    fn advance(&mut self);
    fn part(&self) -> Part;
    fn communication_ns(&self) -> i64;
}

impl Solver for Wave {
    fn restart(&mut self) {
        Wave::restart(self);
    }

    fn advance(&mut self) {
        Wave::advance(self, 1);
    }

    fn part(&self) -> Part {
        let (values, stride) = self.values();
        let of = |axes: [usize; 3]| axes.map(|number| number as i64);
        Part { values: values.as_ptr(), start: of(self.start), count: of(self.points()), stride: of(stride) }
    }

    fn communication_ns(&self) -> i64 {
        self.communication_ns
    }
}

impl Solver for InnerProduct<'_> {
    fn restart(&mut self) {
        self.value = 0.0;
    }

    fn advance(&mut self) {
        InnerProduct::advance(self, 1);
    }

    fn part(&self) -> Part {
        let here = i64::from(environment::world().rank() == 0);
        Part { values: &self.value, start: [0; 3], count: [here, 1, 1], stride: [1, 0, 0] }
    }

    fn communication_ns(&self) -> i64 {
        self.communication_ns
    }
}

struct Application<S> {
    solver: S,
    part: *mut Part,
}

impl<S: Solver> Running for Application<S> {
    fn iterate(&mut self) {
        self.solver.advance();
    }

    fn begin(&mut self) {
        self.solver.restart();
    }

    fn show(&mut self) {
        // SAFETY: the harness gives room for one, which lasts as long as the case.
        unsafe { self.part.write(self.solver.part()) };
    }
}

unsafe extern "C" fn communication<S: Solver>(context: *mut c_void) -> i64 {
    // SAFETY: the context is what `running` made of this very type.
    unsafe { &*context.cast::<Application<S>>() }.solver.communication_ns()
}

pub fn prepare(benchmark: &str, mode: &str, buffers: &Buffers, callbacks: &mut Callbacks) {
    let (world, edge) = (environment::world(), buffers.edge as usize);
    callbacks.check = Some(ffi::polympi_application_check);
    if benchmark == "wave" {
        match Wave::new(world, edge, mode == "overlapped") {
            Ok(solver) => run_pair(Application { solver, part: buffers.part }, callbacks),
            Err(reason) => give_up(buffers.rank, reason),
        }
        callbacks.communication = Some(communication::<Wave>);
    } else {
        match InnerProduct::new(world, edge) {
            Some(solver) => run_together(Application { solver, part: buffers.part }, callbacks),
            None => give_up(buffers.rank, "a rank has no memory for its part of the vectors"),
        }
        callbacks.communication = Some(communication::<InnerProduct<'static>>);
    }
}

fn give_up(rank: i32, reason: &str) -> ! {
    if rank == 0 {
        eprintln!("{reason}");
    }
    environment::world().barrier(); // else another rank may end rank 0 before it has told
    environment::world().abort(ffi::NO_MEMORY)
}
