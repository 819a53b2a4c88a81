//! What the harness calls back: which cases this program does, and with which loops.

use crate::{
    applications, array_collectives, arrays, collectives, faces,
    ffi::{self, Buffers, Callbacks, Case, Program},
    latency, layouts,
    memory::{Memory, Slice, Value},
    message::{Nested, Record},
    objects, ring, windows,
};
use std::{
    ffi::{c_char, c_void, CStr},
    ptr,
};

pub fn program() -> Program {
    Program { context: ptr::null_mut(), refuse: Some(refuse), prepare: Some(prepare) }
}

/// A case by its names.
struct Names {
    benchmark: &'static str,
    mode: &'static str,
    payload: &'static str,
}

impl Names {
    fn of(case: &Case) -> Names {
        Names {
            benchmark: text(ffi::polympi_benchmark_name(case.benchmark)),
            mode: text(ffi::polympi_mode_name(case.mode)),
            payload: text(ffi::polympi_payload_name(case.payload)),
        }
    }
}

fn text(name: *const c_char) -> &'static str {
    // SAFETY: names of the catalogue are constants in ASCII.
    unsafe { CStr::from_ptr(name) }.to_str().expect("names are ASCII")
}

unsafe extern "C" fn refuse(_context: *mut c_void, case: *const Case) -> *const c_char {
    let reason = match Names::of(unsafe { &*case }) {
        Names { mode, .. } if mode.ends_with("-persistent") => c"the crate mpi has no persistent requests",
        Names { mode, .. } if mode.starts_with("ready") => {
            c"a receive that is posted ahead borrows its buffer until it is waited for"
        }
        Names { benchmark: "bandwidth" | "bibandwidth", payload: "array", .. }
        | Names { mode: "sendrecv", payload: "array", .. } => {
            c"a receive whose size is not known begins with a probe and cannot be posted"
        }
        Names { payload: "map", .. } => {
            c"the crate mpi has no serialisation, and a HashMap of texts no fixed layout"
        }
        Names { mode, payload: "array", .. } if mode.ends_with("-nonblocking") => {
            c"a receive whose size is not known begins with a probe and cannot be posted"
        }
        _ => return ptr::null(),
    };
    reason.as_ptr()
}

unsafe extern "C" fn prepare(
    _context: *mut c_void,
    case: *const Case,
    buffers: *const Buffers,
    callbacks: *mut Callbacks,
) {
    // SAFETY: the harness hands over one of each, and callbacks for nothing else.
    let (names, buffers, callbacks) = unsafe { (Names::of(&*case), &*buffers, &mut *callbacks) };
    let memory = &Memory(buffers);
    match names {
        Names { benchmark, mode, payload: "problem" } => {
            applications::prepare(benchmark, mode, buffers, callbacks);
        }
        Names { benchmark: "latency", mode, payload } => prepare_latency(mode, payload, memory, callbacks),
        Names { benchmark: "pingpong-int", mode, .. } => {
            latency::prepare::<Slice<i32>>(mode, memory, callbacks);
        }
        Names { benchmark: "object", mode, payload } => prepare_object(mode, payload, memory, callbacks),
        Names { benchmark: "datatype", mode, .. } => layouts::prepare(mode, memory, callbacks),
        Names { benchmark: "ring", payload, .. } => prepare_ring(payload, memory, callbacks),
        Names { benchmark: "faces", mode, .. } => faces::prepare(mode, buffers, callbacks),
        Names { benchmark: "stream", mode, payload: "array" } => {
            arrays::prepare_stream(mode, memory, callbacks)
        }
        Names { benchmark: "bandwidth" | "bibandwidth" | "stream", payload: "bytes", .. } => {
            windows::prepare::<u8>(names.benchmark, names.mode, memory, callbacks);
        }
        Names { benchmark: "bandwidth" | "bibandwidth" | "stream", .. } => {
            windows::prepare::<f64>(names.benchmark, names.mode, memory, callbacks);
        }
        Names { benchmark, payload, .. } => prepare_collective(benchmark, payload, memory, callbacks),
    }
}

fn prepare_latency(mode: &str, payload: &str, memory: &Memory, callbacks: &mut Callbacks) {
    match payload {
        "bytes" => latency::prepare::<Slice<u8>>(mode, memory, callbacks),
        "float64" => latency::prepare::<Slice<f64>>(mode, memory, callbacks),
        "int" => latency::prepare::<Value<i64>>(mode, memory, callbacks),
        "dict" => latency::prepare::<Value<Record>>(mode, memory, callbacks),
        _ => arrays::prepare(mode, memory, callbacks),
    }
}

fn prepare_object(mode: &str, payload: &str, memory: &Memory, callbacks: &mut Callbacks) {
    match payload {
        "int" => latency::prepare::<Value<i64>>(mode, memory, callbacks),
        "nested" => latency::prepare::<Value<Nested>>(mode, memory, callbacks),
        "instance" => latency::prepare::<Value<Record>>(mode, memory, callbacks),
        "string" => objects::prepare::<String>(memory, callbacks),
        _ => objects::prepare::<Vec<i64>>(memory, callbacks),
    }
}

fn prepare_ring(payload: &str, memory: &Memory, callbacks: &mut Callbacks) {
    match payload {
        "bytes" => ring::prepare::<Slice<u8>>(memory, callbacks),
        "int32" => ring::prepare::<Slice<i32>>(memory, callbacks),
        _ => ring::prepare::<Value<i64>>(memory, callbacks),
    }
}

fn prepare_collective(benchmark: &str, payload: &str, memory: &Memory, callbacks: &mut Callbacks) {
    match payload {
        "bytes" => collectives::prepare::<Slice<u8>>(benchmark, memory, callbacks),
        "float64" => collectives::prepare::<Slice<f64>>(benchmark, memory, callbacks),
        "int" => collectives::prepare::<Value<i64>>(benchmark, memory, callbacks),
        "float" => collectives::prepare::<Value<f64>>(benchmark, memory, callbacks),
        "dict" => collectives::prepare::<Value<Record>>(benchmark, memory, callbacks),
        "array" => array_collectives::prepare(benchmark, memory, callbacks),
        _ => collectives::prepare_barrier(callbacks),
    }
}
