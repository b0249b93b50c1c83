//! The return type of an `async fn`, for a variable inside it.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{ReturnType, Type};

/// The type as far as it can be written in a body: with `_` instead of each
/// `impl Trait`. `None` if that is nothing.
pub(crate) fn known_part(output: &ReturnType) -> Option<TokenStream> {
    match output {
        ReturnType::Default => Some(quote!(())),
        ReturnType::Type(_, ty) => match &**ty {
            // As the type of a variable, `!` is not stable.
            Type::Never(_) | Type::ImplTrait(_) => None,
            ty => Some(without_impl(ty.to_token_stream())),
        },
    }
}

/// `Result<impl Trait + 'a, E>` becomes `Result<_, E>`: an `impl` ends where its
/// list element does.
fn without_impl(tokens: TokenStream) -> TokenStream {
    let mut known = TokenStream::new();
    let mut angles = 0u32;
    // Depth of the angle brackets around the `impl` that is being left out.
    let mut inside: Option<u32> = None;
    let mut before = ' ';
    for token in tokens {
        let punct = match &token {
            TokenTree::Punct(punct) => punct.as_char(),
            _ => ' ',
        };
        match punct {
            '<' => angles += 1,
            // Not of `->`.
            '>' if before != '-' => {
                if inside == Some(angles) {
                    inside = None;
                }
                angles = angles.saturating_sub(1);
            }
            ',' | ';' if inside == Some(angles) => inside = None,
            _ => {}
        }
        before = punct;
        if inside.is_some() {
            continue;
        }
        match token {
            TokenTree::Ident(ident) if ident == "impl" => {
                inside = Some(angles);
                known.extend(quote!(_));
            }
            TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => {
                let inner = without_impl(group.stream());
                known.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
            }
            token => known.extend([token]),
        }
    }
    known
}
