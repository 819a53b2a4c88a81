//! The wave equation in Rust: mpiexec -n 2 wave [--mesh POINTS] [--steps NUMBER] [--overlapped]

#[path = "../driver.rs"]
mod driver;
#[path = "../wave.rs"]
mod wave;

use mpi::{topology::SimpleCommunicator, traits::*};
use std::{f64::consts::PI, process::ExitCode};
use wave::{time_step, Wave};

/// The largest differences of this rank's part from the closed form of the scheme and from the wave itself.
fn errors_here(wave: &Wave, edge: usize, steps: u64) -> [f64; 2] {
    let (h, dt) = (1.0 / (edge - 1) as f64, time_step(edge));
    let scheme = (steps as f64 * (1.0 + 3.0 * (dt / h).powi(2) * ((PI * h).cos() - 1.0)).acos()).cos();
    let exact = (3f64.sqrt() * PI * steps as f64 * dt).cos();
    let ((u, stride), n) = (wave.values(), wave.points());
    let cosine = |axis: usize, i: usize| (PI * (wave.start[axis] + i) as f64 * h).cos();
    let mut errors: [f64; 2] = [0.0; 2];
    for i in 0..n[0] {
        for j in 0..n[1] {
            let two = 2.0 * cosine(0, i) * cosine(1, j);
            for k in 0..n[2] {
                let (point, shape) = (u[i * stride[0] + j * stride[1] + k * stride[2]], two * cosine(2, k));
                errors[0] = errors[0].max((point - shape * scheme).abs());
                errors[1] = errors[1].max((point - shape * exact).abs());
            }
        }
    }
    errors
}

/// Makes the steps, and says how long they took and how exact they are. Whether they are.
fn run(world: &SimpleCommunicator, wave: &mut Wave, edge: usize, steps: u64, overlapped: bool) -> bool {
    world.barrier();
    let begun = mpi::time();
    wave.advance(steps);
    let seconds = mpi::time() - begun;
    let errors = errors_here(wave, edge, steps);
    let mine = [seconds, wave.communication_ns as f64 * 1e-9, errors[0], errors[1]];
    let [seconds, exchange, from_scheme, from_wave] = driver::largest(world, mine);
    if world.rank() == 0 {
        let points = (edge as f64).powi(3);
        let mode = if overlapped { "overlapped" } else { "blocking" };
        println!("{edge}^3 points, {steps} steps, {}, {mode}", driver::ranks_of(world));
        println!(
            "{seconds:.3} s, {:.1} million points a second, at most {:.1} % of it in the exchange",
            1e-6 * points * steps as f64 / seconds,
            100.0 * exchange / seconds
        );
        println!(
            "largest error: {from_scheme:.1e} against the closed form of the scheme, {from_wave:.1e} ({:.1e} dx^2) \
             against the wave",
            from_wave * ((edge - 1) as f64).powi(2)
        );
    }
    from_scheme < 1e-11
}

fn main() -> ExitCode {
    driver::main(
        "wave [--mesh POINTS] [--steps NUMBER] [--overlapped]",
        &[("--mesh", 129), ("--steps", 0)],
        &["--overlapped"],
        |world, numbers, flags| {
            let (edge, overlapped) = (numbers["--mesh"] as usize, !flags.is_empty());
            let mut wave = Wave::new(world, edge, overlapped).map_err(|reason| format!("wave: {reason}."))?;
            let steps = match numbers["--steps"] {
                0 => (2.0 / time_step(edge)).ceil() as u64, // up to the time 2
                given => given,
            };
            Ok(run(world, &mut wave, edge, steps, overlapped))
        },
    )
}
