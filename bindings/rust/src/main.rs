//! Every case of docs/protocol.md with the crate mpi.
//!
//!     mpiexec -n RANKS bench PLAN SAMPLES [--name NAME]

mod applications;
mod array_collectives;
mod arrays;
mod cases;
mod collectives;
mod environment;
mod faces;
mod ffi;
mod latency;
mod layouts;
mod memory;
mod message;
mod objects;
mod ring;
mod running;
mod windows;

use mpi::traits::*;
use std::{env, ffi::CString, os::unix::ffi::OsStringExt, process::ExitCode};

/// The command line as C takes it; what is wrong with it is the complaint.
#[derive(Default)]
struct Arguments {
    plan: CString,
    samples: CString,
    name: CString,
    complaint: CString,
}

fn read_arguments() -> Arguments {
    let words =
        env::args_os().skip(1).map(|word| CString::new(word.into_vec()).expect("arguments have no NUL"));
    let words: Vec<CString> = words.collect();
    match &words[..] {
        [plan, samples] => Arguments {
            plan: plan.clone(),
            samples: samples.clone(),
            name: c"rust".into(),
            ..Default::default()
        },
        [plan, samples, option, name] if option.as_c_str() == c"--name" => Arguments {
            plan: plan.clone(),
            samples: samples.clone(),
            name: name.clone(),
            ..Default::default()
        },
        _ => {
            Arguments { complaint: c"Usage: bench PLAN SAMPLES [--name NAME].".into(), ..Default::default() }
        }
    }
}

fn main() -> ExitCode {
    let arguments = read_arguments();
    let mut launch = ffi::Launch {
        plan: arguments.plan.as_ptr(),
        samples: arguments.samples.as_ptr(),
        binding: arguments.name.as_ptr(),
        complaint: arguments.complaint.as_ptr(),
        ready_ns: 0,
        load_ns: 0,
        init_ns: 0,
        pss_bytes: 0,
        rss_bytes: 0,
        plain_pages: 0,
        opted_in: applications::opted_in(),
        unused: 0,
    };
    let start = ffi::polympi_clock();
    environment::begin();
    launch.init_ns = ffi::polympi_clock() - start;
    environment::world().barrier();
    launch.ready_ns = ffi::polympi_clock();
    ffi::polympi_memory(&mut launch.pss_bytes, &mut launch.rss_bytes);
    // SAFETY: both structs and what they point to last as long as the call.
    let code = unsafe { ffi::polympi_run(&launch, &cases::program()) };
    environment::end();
    ExitCode::from(code as u8)
}
