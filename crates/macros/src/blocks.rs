//! Impl blocks and traits: every function in them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Block, ImplItem, ItemImpl, ItemTrait, Signature, TraitItem, Type};

use crate::arguments::{self, Arguments};
use crate::function::{self, Name};

pub(crate) fn impl_block(
    arguments: Arguments,
    mut block: ItemImpl,
    enabled: bool,
) -> syn::Result<TokenStream> {
    refuse(&arguments)?;
    let mut owner = type_name(&block.self_ty);
    if let Some((path, _)) = &block.trait_ {
        let name = path
            .segments
            .last()
            .map(|segment| segment.ident.to_string());
        owner = format!("<{owner} as {}>", name.unwrap_or_default());
    }
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item {
            instrument(
                &owner,
                &mut method.attrs,
                &method.sig,
                Some(&mut method.block),
                enabled,
            )?;
        }
    }
    Ok(block.into_token_stream())
}

pub(crate) fn trait_block(
    arguments: Arguments,
    mut block: ItemTrait,
    enabled: bool,
) -> syn::Result<TokenStream> {
    refuse(&arguments)?;
    let owner = block.ident.to_string();
    for item in &mut block.items {
        if let TraitItem::Fn(method) = item {
            instrument(
                &owner,
                &mut method.attrs,
                &method.sig,
                method.default.as_mut(),
                enabled,
            )?;
        }
    }
    Ok(block.into_token_stream())
}

fn refuse(arguments: &Arguments) -> syn::Result<()> {
    let span = match (&arguments.name, arguments.skip) {
        (Some(name), _) => name.span(),
        (_, Some(skip)) => skip,
        _ => return Ok(()),
    };
    Err(syn::Error::new(
        span,
        "on an impl block or a trait `instrument` takes no arguments: put them on the functions in it",
    ))
}

/// Instruments a function of the block, unless its own attribute says otherwise
/// or it cannot be: only whoever asks for that one is told.
fn instrument(
    owner: &str,
    attributes: &mut Vec<Attribute>,
    signature: &Signature,
    block: Option<&mut Block>,
    enabled: bool,
) -> syn::Result<()> {
    let own = arguments::take_from(attributes)?;
    if let Some(Arguments { skip: Some(_), .. }) = own {
        return Ok(());
    }
    let Some(block) = block else {
        return match own {
            Some(_) => Err(function::without_body(signature.span())),
            None => Ok(()),
        };
    };
    if own.is_none() && signature.constness.is_some() {
        return Ok(());
    }
    let name = match own.and_then(|arguments| arguments.name) {
        Some(name) => Name::Whole(name),
        None => Name::InModule(format!("{owner}::{}", function::plain(&signature.ident))),
    };
    function::instrument(name, signature, block, enabled)
}

/// How a type is called in a name: without its path, arguments and lifetimes.
fn type_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => match path.path.segments.last() {
            Some(segment) => segment.ident.to_string(),
            None => quote!(#ty).to_string(),
        },
        Type::Group(group) => type_name(&group.elem),
        Type::Paren(paren) => type_name(&paren.elem),
        Type::Reference(reference) => {
            let mutable = reference.mutability.map_or("", |_| "mut ");
            format!("&{mutable}{}", type_name(&reference.elem))
        }
        Type::Slice(slice) => format!("[{}]", type_name(&slice.elem)),
        _ => quote!(#ty).to_string(),
    }
}
