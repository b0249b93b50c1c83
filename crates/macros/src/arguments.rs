//! What is in the parentheses of `#[instrument(…)]`.

use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Meta, Token};

#[derive(Default)]
pub(crate) struct Arguments {
    /// The whole name to record.
    pub(crate) name: Option<LitStr>,
    /// Where `skip` was said.
    pub(crate) skip: Option<proc_macro2::Span>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Arguments> {
        let mut arguments = Arguments::default();
        while !input.is_empty() {
            let argument: syn::Ident = input.parse().map_err(|error| unknown(error.span()))?;
            if argument == "skip" {
                arguments.skip = Some(argument.span());
            } else if argument == "name" {
                input.parse::<Token![=]>()?;
                let name: LitStr = input.parse()?;
                if name.value().is_empty() {
                    return Err(syn::Error::new(name.span(), "an empty name: leave it out"));
                }
                if arguments.name.replace(name).is_some() {
                    return Err(syn::Error::new(argument.span(), "a second name"));
                }
            } else {
                return Err(unknown(argument.span()));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if let (Some(_), Some(skip)) = (&arguments.name, arguments.skip) {
            return Err(syn::Error::new(
                skip,
                "`skip` beside a name: a function that is skipped needs none",
            ));
        }
        Ok(arguments)
    }
}

fn unknown(span: proc_macro2::Span) -> syn::Error {
    syn::Error::new(
        span,
        "not an argument of `instrument`: there are `name = \"…\"` and `skip`",
    )
}

/// Takes `#[instrument(…)]` off a function inside a block; `None` if there is none.
pub(crate) fn take_from(attributes: &mut Vec<Attribute>) -> syn::Result<Option<Arguments>> {
    let mut found = None;
    let mut error = None;
    attributes.retain(|attribute| {
        if !is_ours(attribute) {
            return true;
        }
        let arguments = match &attribute.meta {
            Meta::Path(_) => Ok(Arguments::default()),
            _ => attribute.parse_args::<Arguments>(),
        };
        match arguments {
            Ok(_) if found.is_some() => {
                error = Some(syn::Error::new(attribute.span(), "instrumented twice"));
            }
            Ok(arguments) => found = Some(arguments),
            Err(problem) => error = Some(problem),
        }
        false
    });
    error.map_or(Ok(found), Err)
}

/// `#[instrument]`, `#[wasm_xray::instrument]`; not `#[tracing::instrument]`.
fn is_ours(attribute: &Attribute) -> bool {
    let segments = &attribute.path().segments;
    let named = |index: usize, name: &str| segments.get(index).is_some_and(|s| s.ident == name);
    match segments.len() {
        1 => named(0, "instrument"),
        2 => named(0, "wasm_xray") && named(1, "instrument"),
        _ => false,
    }
}
