//! `#[wasm_xray::instrument]`; the crate `wasm-xray` says what it is for.
//!
//! A function gets one statement in front of its body, which enters it and, when
//! it is dropped, leaves it: on return, on `?` and while unwinding. So types,
//! lifetimes, `return` and `impl Trait` are none of the macro's business. The
//! body of an `async fn` is wrapped in a future that does so around each poll.

mod arguments;
mod blocks;
mod function;
mod returned;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Records the calls of a function, or of every function in an impl block or a trait.
///
/// Without the feature `enabled` of `wasm-xray`, the code is left as it was.
///
/// | on | what is recorded | name |
/// | --- | --- | --- |
/// | `fn` | its calls | `krate::module::function` |
/// | method with `self` | its calls | `krate::module::Type::method` |
/// | `async fn` | its calls, once each, and the time in which it is polled | as above |
/// | `impl Type` | all functions in it that are not `const fn` | `krate::module::Type::method` |
/// | `impl Trait for Type` | the same | `krate::module::<Type as Trait>::method` |
/// | `trait Trait` | functions that have a body | `krate::module::Trait::method` |
///
/// A generic function is one function, whatever it is used with. A function
/// without `self` does not know which impl block it is in, so put the attribute
/// on the block rather than on such a function; and on the trait rather than on
/// one of its default methods, which would get the name of the first type that
/// it is called on.
///
/// # Arguments
///
/// * `#[instrument(name = "…")]` on a function: the whole name to record.
/// * `#[instrument(skip)]` on a function inside an instrumented impl block or
///   trait: leaves it out.
///
/// # Errors
///
/// The compiler reports where it cannot apply: on a `const fn` (which can run in
/// the compiler), on a function without a body, and on anything that is not a
/// function, an impl block or a trait.
///
/// # Limits
///
/// Of a function that returns a future without being an `async fn`, the call is
/// recorded and not the polls. Together with a macro that rewrites an
/// `async fn`, such as `async_trait`, write this attribute above that one.
#[proc_macro_attribute]
pub fn instrument(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item: proc_macro2::TokenStream = item.into();
    expand(arguments.into(), item.clone(), cfg!(feature = "enabled"))
        .unwrap_or_else(|error| {
            // With the item, so that its users get no errors on top.
            let mut tokens = error.into_compile_error();
            tokens.extend(item);
            tokens
        })
        .into()
}

/// The item with probes, or without them but for the errors if they are not `enabled`.
fn expand(
    arguments: proc_macro2::TokenStream,
    item: proc_macro2::TokenStream,
    enabled: bool,
) -> syn::Result<proc_macro2::TokenStream> {
    let arguments = syn::parse2::<arguments::Arguments>(arguments)?;
    if let Ok(block) = syn::parse2::<syn::ItemImpl>(item.clone()) {
        return blocks::impl_block(arguments, block, enabled);
    }
    if let Ok(block) = syn::parse2::<syn::ItemTrait>(item.clone()) {
        return blocks::trait_block(arguments, block, enabled);
    }
    function::free_or_method(arguments, item, enabled)
}
