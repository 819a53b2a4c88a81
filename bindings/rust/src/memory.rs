//! The memory of the harness as slices and values.

use crate::{ffi::Buffers, message::Message};
use mpi::traits::*;
use std::{marker::PhantomData, slice};

/// Whether a message is a slice of elements, or one value.
pub trait Shape: 'static {
    type Element: Equivalence + 'static;
    type One: ?Sized + Message;
    fn one(elements: &'static [Self::Element]) -> &'static Self::One;
    fn one_mut(elements: &'static mut [Self::Element]) -> &'static mut Self::One;
}

pub struct Slice<T>(PhantomData<T>);
pub struct Value<T>(PhantomData<T>);

impl<T: Equivalence + 'static> Shape for Slice<T> {
    type Element = T;
    type One = [T];
    fn one(elements: &'static [T]) -> &'static [T] {
        elements
    }
    fn one_mut(elements: &'static mut [T]) -> &'static mut [T] {
        elements
    }
}

impl<T: Equivalence + Message> Shape for Value<T> {
    type Element = T;
    type One = T;
    fn one(elements: &'static [T]) -> &'static T {
        &elements[0]
    }
    fn one_mut(elements: &'static mut [T]) -> &'static mut T {
        &mut elements[0]
    }
}

/// The buffers of one case, which last until it is released.
pub struct Memory<'a>(pub &'a Buffers);

/// Each function is unsafe: no memory may be handed out twice in a case if it is handed out mutably.
impl Memory<'_> {
    pub unsafe fn outgoing<T>(&self, elements: usize) -> &'static [T] {
        unsafe { slice::from_raw_parts(self.0.outgoing.cast(), elements) }
    }

    pub unsafe fn incoming<T>(&self, elements: usize) -> &'static mut [T] {
        unsafe { slice::from_raw_parts_mut(self.0.incoming.cast(), elements) }
    }

    pub unsafe fn acknowledgement(&self) -> &'static mut u8 {
        unsafe { &mut *self.0.acknowledgement.cast() }
    }

    /// The message to send of each slot of a window.
    pub unsafe fn outgoing_slots<T>(&self) -> Vec<&'static [T]> {
        let slots = 0..self.0.outgoing_messages as usize;
        let slot = |i| unsafe { slice::from_raw_parts(self.slot(self.0.outgoing.cast(), i), self.count()) };
        slots.map(slot).collect()
    }

    /// The message to receive of each slot of a window.
    pub unsafe fn incoming_slots<T>(&self) -> Vec<&'static mut [T]> {
        let slots = 0..self.0.incoming_messages as usize;
        let slot =
            |i| unsafe { slice::from_raw_parts_mut(self.slot(self.0.incoming.cast(), i), self.count()) };
        slots.map(slot).collect()
    }

    /// Elements in one message.
    pub fn count(&self) -> usize {
        self.0.count as usize
    }

    /// Elements of as many messages as there are ranks, side by side.
    pub fn count_of_all(&self) -> usize {
        self.count() * self.0.ranks as usize
    }

    unsafe fn slot<T>(&self, first: *mut u8, number: usize) -> *mut T {
        unsafe { first.add(number * self.0.stride as usize) }.cast()
    }
}
