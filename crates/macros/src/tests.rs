//! What the attribute expands to, and what it says where it cannot apply.

use proc_macro2::TokenStream;
use quote::quote;

use crate::expand;

fn off(arguments: TokenStream, item: TokenStream) -> String {
    expand(arguments, item, false).unwrap().to_string()
}

fn error(arguments: TokenStream, item: TokenStream) -> String {
    let [on, off] = [true, false].map(|enabled| {
        expand(arguments.clone(), item.clone(), enabled)
            .unwrap_err()
            .to_string()
    });
    assert_eq!(on, off, "the feature makes no difference to what is wrong");
    on
}

#[test]
fn without_the_feature_a_function_is_as_it_was() {
    let function = quote! {
        /// Documented.
        #[inline(always)]
        pub(crate) async unsafe fn f<'a, T: Into<u32>>(t: &'a T) -> impl Fn() + 'a { loop {} }
    };
    assert_eq!(off(quote!(), function.clone()), function.to_string());
    let named = quote!(name = "f");
    assert_eq!(off(named, function.clone()), function.to_string());
}

#[test]
fn without_the_feature_a_block_loses_only_our_attributes() {
    let block = quote! {
        impl<T> A<T> where T: Copy {
            const B: u32 = 1;
            #[must_use]
            fn f(&self) -> T { self.0 }
            #[instrument(skip)]
            fn g() {}
            #[wasm_xray::instrument(name = "h")]
            fn h() {}
            #[tracing::instrument]
            fn i() {}
        }
    };
    let bare = quote! {
        impl<T> A<T> where T: Copy {
            const B: u32 = 1;
            #[must_use]
            fn f(&self) -> T { self.0 }
            fn g() {}
            fn h() {}
            #[tracing::instrument]
            fn i() {}
        }
    };
    assert_eq!(off(quote!(), block), bare.to_string());
}

#[test]
fn with_it_a_function_gets_one_statement() {
    let function = quote! {
        #[inline]
        fn f() -> u32 { body() }
    };
    let expected = quote! {
        #[inline]
        fn f() -> u32 {
            let _xray_guard = ::wasm_xray::__private::enter(
                {
                    static FUNCTION: ::wasm_xray::__private::Function =
                        ::wasm_xray::__private::Function::new(
                            ::core::concat!(::core::module_path!(), "::f")
                        );
                    &FUNCTION
                },
                ::core::option::Option::None
            );
            body()
        }
    };
    let expanded = expand(quote!(), function, true).unwrap();
    assert_eq!(expanded.to_string(), expected.to_string());
}

#[test]
fn an_async_body_is_told_its_type_as_far_as_it_can_be_written() {
    let known = |output: TokenStream| {
        let output = syn::parse2(output).unwrap();
        crate::returned::known_part(&output).map(|known| known.to_string())
    };
    let is = |tokens: TokenStream| Some(tokens.to_string());
    assert_eq!(known(quote!()), is(quote!(())));
    assert_eq!(known(quote!(-> !)), None);
    assert_eq!(known(quote!(-> impl Fn() + Send)), None);
    assert_eq!(
        known(quote!(-> Result<impl Iterator<Item = Vec<u8>> + 'a, E>)),
        is(quote!(Result<_, E>))
    );
    assert_eq!(
        known(quote!(-> (Box<dyn Fn(u8) -> u8>, impl Fn(A, B) -> C, [impl D; 2]))),
        is(quote!((Box<dyn Fn(u8) -> u8>, _, [_; 2])))
    );
    assert_eq!(known(quote!(-> Option<impl A>)), is(quote!(Option<_>)));
}

#[test]
fn where_it_cannot_apply_it_says_what_to_do() {
    let function = quote!(
        fn f() {}
    );
    let cases = [
        (
            error(
                quote!(),
                quote!(
                    const fn f() {}
                ),
            ),
            "`const fn` cannot be instrumented",
        ),
        (
            error(
                quote!(),
                quote!(
                    fn f();
                ),
            ),
            "without a body cannot be instrumented",
        ),
        (
            error(
                quote!(),
                quote!(
                    struct S;
                ),
            ),
            "put it on one of them",
        ),
        (
            error(
                quote!(),
                quote!(
                    mod m {
                        fn f() {}
                    }
                ),
            ),
            "put it on one of them",
        ),
        (
            error(quote!(level = "info"), function.clone()),
            "not an argument of `instrument`",
        ),
        (
            error(quote!(5), function.clone()),
            "not an argument of `instrument`",
        ),
        (error(quote!(name = ""), function.clone()), "an empty name"),
        (
            error(quote!(name = "a", name = "b"), function.clone()),
            "a second name",
        ),
        (
            error(quote!(name = "a", skip), function.clone()),
            "`skip` beside a name",
        ),
        (
            error(quote!(skip), function),
            "`skip` is for functions inside an instrumented impl block",
        ),
        (
            error(quote!(name = "a"), quote!(impl A {})),
            "takes no arguments",
        ),
        (
            error(
                quote!(),
                quote!(impl A { #[instrument(name = "a")] const fn f() {} }),
            ),
            "`const fn` cannot be instrumented",
        ),
        (
            error(
                quote!(),
                quote!(
                    trait A {
                        #[instrument]
                        fn f();
                    }
                ),
            ),
            "put the attribute on its implementation",
        ),
        (
            error(
                quote!(),
                quote!(impl A { #[instrument] #[instrument] fn f() {} }),
            ),
            "instrumented twice",
        ),
    ];
    for (said, expected) in cases {
        assert!(said.contains(expected), "{said:?} instead of {expected:?}");
    }
}
