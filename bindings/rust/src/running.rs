//! A case that is running, and the loops that are timed.
//!
//! Each kind of case has its own loops: they are generic, and its iteration is compiled into them.

use crate::ffi::{self, Callbacks, UNTIMED_CALLS};
use std::{ffi::c_void, slice};

/// What a case does on this rank.
pub trait Running {
    fn iterate(&mut self);
    /// What is needed before a validation, or before the warm-up, and no more after it.
    fn begin(&mut self) {}
    fn end(&mut self) {}
    /// Copies what was received to where the harness looks for it.
    fn show(&mut self) {}
}

/// Most cases are an iteration and nothing else.
impl<F: FnMut()> Running for F {
    fn iterate(&mut self) {
        self();
    }
}

/// Hands a case of ranks 0 and 1 to the harness.
pub fn run_pair<R: Running>(case: R, callbacks: &mut Callbacks) {
    hand_over(case, callbacks);
    callbacks.singly = Some(singly::<R>);
}

/// Hands a case of all ranks to the harness.
pub fn run_together<R: Running>(case: R, callbacks: &mut Callbacks) {
    hand_over(case, callbacks);
    callbacks.singly = Some(singly_together::<R>);
}

fn hand_over<R: Running>(case: R, callbacks: &mut Callbacks) {
    callbacks.context = Box::into_raw(Box::new(case)).cast();
    callbacks.begin = Some(begin::<R>);
    callbacks.end = Some(end::<R>);
    callbacks.batch = Some(batch::<R>);
    callbacks.show = Some(show::<R>);
    callbacks.release = Some(release::<R>);
}

/// # Safety
/// The context is what `hand_over` made of an `R`, and the harness calls one function at a time, as it does for all
/// functions below.
unsafe fn running<'a, R>(context: *mut c_void) -> &'a mut R {
    unsafe { &mut *context.cast() }
}

unsafe extern "C" fn begin<R: Running>(context: *mut c_void) {
    unsafe { running::<R>(context) }.begin();
}

unsafe extern "C" fn end<R: Running>(context: *mut c_void) {
    unsafe { running::<R>(context) }.end();
}

unsafe extern "C" fn show<R: Running>(context: *mut c_void) {
    unsafe { running::<R>(context) }.show();
}

unsafe extern "C" fn release<R: Running>(context: *mut c_void) {
    drop(unsafe { Box::from_raw(context.cast::<R>()) });
}

unsafe extern "C" fn batch<R: Running>(context: *mut c_void, iterations: i32) {
    let case = unsafe { running::<R>(context) };
    for _ in 0..iterations {
        case.iterate();
    }
}

/// Times each iteration alone.
unsafe extern "C" fn singly<R: Running>(context: *mut c_void, iterations: i32, ns: *mut i64) {
    let case = unsafe { running::<R>(context) };
    for time in unsafe { times(ns, iterations) } {
        let start = ffi::polympi_clock();
        case.iterate();
        *time = ffi::polympi_clock() - start;
    }
}

/// Likewise for all ranks, each from a common start: an iteration that a rank began too late is made again.
unsafe extern "C" fn singly_together<R: Running>(context: *mut c_void, iterations: i32, ns: *mut i64) {
    let case = unsafe { running::<R>(context) };
    ffi::common_start_agree();
    for time in unsafe { times(ns, iterations) } {
        let mut in_time = 0;
        while in_time == 0 {
            for _ in 0..UNTIMED_CALLS {
                case.iterate();
            }
            let start = ffi::common_start_wait();
            case.iterate();
            *time = ffi::polympi_clock() - start;
            in_time = ffi::common_start_agree();
        }
    }
}

unsafe fn times<'a>(ns: *mut i64, iterations: i32) -> &'a mut [i64] {
    if iterations == 0 {
        return &mut [];
    }
    unsafe { slice::from_raw_parts_mut(ns, iterations as usize) }
}
