//! One function: what is put in front of its body.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Block, Ident, ItemFn, LitStr, Signature, TraitItemFn, parse_quote, parse2};

use crate::arguments::Arguments;
use crate::returned;

/// Under which name calls are recorded.
pub(crate) enum Name {
    /// This one.
    Whole(LitStr),
    /// Behind the path of the module.
    InModule(String),
    /// A method of a type that only the compiler knows.
    OfSelf(String),
}

/// A function outside of an impl block, or a single one inside, which looks the same.
pub(crate) fn free_or_method(
    arguments: Arguments,
    item: TokenStream,
    enabled: bool,
) -> syn::Result<TokenStream> {
    let mut function = match parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => return Err(why_not(item, error)),
    };
    if let Some(skip) = arguments.skip {
        return Err(syn::Error::new(
            skip,
            "`skip` is for functions inside an instrumented impl block or trait: remove the attribute",
        ));
    }
    let plain = plain(&function.sig.ident);
    let name = match arguments.name {
        Some(name) => Name::Whole(name),
        None if function.sig.receiver().is_some() => Name::OfSelf(plain),
        None => Name::InModule(plain),
    };
    instrument(name, &function.sig, &mut function.block, enabled)?;
    // Not printed anew: it is what the compiler would see without the attribute.
    Ok(if enabled {
        function.into_token_stream()
    } else {
        item
    })
}

fn why_not(item: TokenStream, error: syn::Error) -> syn::Error {
    if let Ok(TraitItemFn {
        sig, default: None, ..
    }) = parse2(item.clone())
    {
        return without_body(sig.span());
    }
    match parse2::<syn::Item>(item) {
        Ok(item) => syn::Error::new(
            item.span(),
            "`instrument` is for functions, impl blocks and traits: put it on one of them",
        ),
        Err(_) => error,
    }
}

pub(crate) fn without_body(span: Span) -> syn::Error {
    syn::Error::new(
        span,
        "a function without a body cannot be instrumented: put the attribute on its implementation",
    )
}

/// An identifier without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map(str::to_owned).unwrap_or(text)
}

/// Changes the body if probes are `enabled`; says if it cannot be done in either case.
pub(crate) fn instrument(
    name: Name,
    signature: &Signature,
    block: &mut Block,
    enabled: bool,
) -> syn::Result<()> {
    if let Some(constness) = signature.constness {
        return Err(syn::Error::new(
            constness.span(),
            "a `const fn` cannot be instrumented, as it can run in the compiler: remove `const` or the attribute",
        ));
    }
    if !enabled {
        return Ok(());
    }
    let private = quote!(::wasm_xray::__private);
    let (name, owner) = match name {
        Name::Whole(name) => (quote!(#name), quote!(::core::option::Option::None)),
        Name::InModule(name) => {
            let name = format!("::{name}");
            (
                quote!(::core::concat!(::core::module_path!(), #name)),
                quote!(::core::option::Option::None),
            )
        }
        Name::OfSelf(name) => (
            quote!(#name),
            quote!(::core::option::Option::Some(
                ::core::any::type_name::<Self> as fn() -> &'static str
            )),
        ),
    };
    let function = quote!({
        static FUNCTION: #private::Function = #private::Function::new(#name);
        &FUNCTION
    });
    let body = &block.stmts;
    *block = if signature.asyncness.is_some() {
        // Tells the compiler the block's type, for `?` and `into`.
        let typed = returned::known_part(&signature.output).map(|output| {
            quote! {
                #[allow(clippy::all, clippy::pedantic, clippy::restriction, unreachable_code, unused)]
                if false {
                    let returned: #output = loop {};
                    return returned;
                }
            }
        });
        parse_quote!({
            #private::instrumented(#function, #owner, async move {
                #typed
                #(#body)*
            })
            .await
        })
    } else {
        let guard = Ident::new("_xray_guard", Span::mixed_site());
        parse_quote!({
            let #guard = #private::enter(#function, #owner);
            #(#body)*
        })
    };
    Ok(())
}
