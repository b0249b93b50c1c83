// Compiled by the tests to a module with DWARF. A comment `@ NAME` is on the line of the declaration
// that must be found for the function whose name has NAME in it.
#![no_std]
#![crate_type = "cdylib"]

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

pub trait Shape {
    fn area(&self) -> u32;
}

pub struct Square(pub u32);
pub struct Strip(pub u32);

impl Shape for Square {
    #[inline(never)]
    fn area(&self) -> u32 { // @ Square
        self.0.wrapping_mul(self.0)
    }
}

impl Shape for Strip {
    #[inline(never)]
    fn area(&self) -> u32 { // @ Strip
        self.0
    }
}

mod inner {
    #[inline(never)]
    pub fn twice<T: super::Shape>(shape: &T) -> u32 { // @ twice
        small(shape.area())
    }

    #[inline(always)]
    fn small(value: u32) -> u32 {
        value.wrapping_add(value)
    }
}

#[inline(never)]
fn apply(f: &dyn Fn(u32) -> u32, value: u32) -> u32 { // @ apply
    f(value)
}

#[unsafe(no_mangle)]
pub extern "C" fn start(side: u32) -> u32 { // @ start
    let add = |value: u32| value.wrapping_add(side); // @ {{closure}}
    inner::twice(&Square(side)) ^ inner::twice(&Strip(side)) ^ apply(&add, side)
}
