//! The interface of the harness (polympi_harness.h) as Rust sees it.

// Much of the structs is for the harness only.
#![allow(dead_code)]

use std::ffi::{c_char, c_void};

pub const PAYLOAD_TAG: i32 = 1;
pub const ACKNOWLEDGEMENT_TAG: i32 = 2;
pub const UNTIMED_CALLS: usize = 3;
pub const NO_MEMORY: i32 = 4;

#[repr(C)]
pub struct Case {
    pub bytes: i64,
    pub id: i32,
    pub benchmark: i32,
    pub kind: i32,
    pub mode: i32,
    pub send_mode: i32,
    pub completion: i32,
    pub face: i32,
    pub payload: i32,
    pub warmup: i32,
    pub batches: i32,
    pub iterations: i32,
    pub events: i32,
    pub layout: i32,
    pub variant: i32,
}

/// A rank's part of the result of an application.
#[repr(C)]
pub struct Part {
    pub values: *const f64,
    pub start: [i64; 3],
    pub count: [i64; 3],
    pub stride: [i64; 3],
}

#[repr(C)]
pub struct Buffers {
    pub outgoing: *mut c_void,
    pub incoming: *mut c_void,
    pub acknowledgement: *mut c_void,
    pub empty: *mut c_void,
    pub attached: *mut c_void,
    pub packed: [*mut f64; 2],
    pub stride: i64,
    pub count: i64,
    pub attached_bytes: i64,
    pub edge: i64,
    pub outgoing_messages: i32,
    pub incoming_messages: i32,
    pub window: i32,
    pub rank: i32,
    pub ranks: i32,
    pub part: *mut Part,
}

pub type Action = unsafe extern "C" fn(*mut c_void);

#[repr(C)]
pub struct Callbacks {
    pub context: *mut c_void,
    pub begin: Option<Action>,
    pub end: Option<Action>,
    pub batch: Option<unsafe extern "C" fn(*mut c_void, i32)>,
    pub singly: Option<unsafe extern "C" fn(*mut c_void, i32, *mut i64)>,
    pub show: Option<Action>,
    pub release: Option<Action>,
    pub communication: Option<unsafe extern "C" fn(*mut c_void) -> i64>,
    pub check: Option<unsafe extern "C" fn(*const Case, *const Buffers, i64, *mut c_char)>,
}

#[repr(C)]
pub struct Program {
    pub context: *mut c_void,
    pub refuse: Option<unsafe extern "C" fn(*mut c_void, *const Case) -> *const c_char>,
    pub prepare: Option<unsafe extern "C" fn(*mut c_void, *const Case, *const Buffers, *mut Callbacks)>,
}

#[repr(C)]
pub struct Launch {
    pub plan: *const c_char,
    pub samples: *const c_char,
    pub binding: *const c_char,
    pub complaint: *const c_char,
    pub ready_ns: i64,
    pub load_ns: i64,
    pub init_ns: i64,
    pub pss_bytes: i64,
    pub rss_bytes: i64,
    pub opted_in: i64,
    pub plain_pages: i32,
    pub unused: i32,
}

unsafe extern "C" {
    pub fn polympi_run(launch: *const Launch, program: *const Program) -> i32;
    pub fn polympi_application_check(
        case: *const Case,
        buffers: *const Buffers,
        iterations: i64,
        complaint: *mut c_char,
    );
    pub fn polympi_benchmark_number(name: *const c_char) -> i32;
    pub safe fn polympi_clock() -> i64;
    pub safe fn polympi_memory(pss: &mut i64, rss: &mut i64);
    pub safe fn common_start_agree() -> i32;
    pub safe fn common_start_wait() -> i64;
    pub safe fn polympi_benchmark_name(benchmark: i32) -> *const c_char;
    pub safe fn polympi_mode_name(mode: i32) -> *const c_char;
    pub safe fn polympi_payload_name(payload: i32) -> *const c_char;
}
