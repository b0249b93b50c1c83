//! Modules of wasm-smith with every feature that V8 ships, bounded so that they can be run.

use crate::random::Random;
use arbitrary::Unstructured;
use wasm_smith::Config;

/// What `tests/fuzz/host.mjs` provides. The types are plain, so that JavaScript can make everything.
const IMPORTS: &str = include_str!("host.wat");

/// Entries of functions and loops that an instance may make before it is given new fuel.
const FUEL: u32 = 200;

/// The module of a seed; `None` for a seed that gives none.
pub fn module(seed: u64) -> Option<Vec<u8>> {
    let mut random = Random::new(seed);
    let config = config(&mut random);
    let noise = 1024 << random.below(4);
    let noise = random.bytes(noise);
    let mut module = wasm_smith::Module::new(config, &mut Unstructured::new(&noise)).ok()?;
    module.ensure_termination(FUEL).ok()?;
    Some(module.to_bytes())
}

/// Each feature is off in some modules, else the large ones leave no room for the others.
fn config(random: &mut Random) -> Config {
    let gc = !random.one_in(3);
    let threads = random.one_in(4);
    let memory = if random.one_in(2) { 1 << 16 } else { 3 << 16 };
    Config {
        available_imports: Some(wat::parse_str(IMPORTS).expect("it is ours")),
        allow_start_export: random.one_in(3),
        bulk_memory_enabled: true,
        canonicalize_nans: true,
        disallow_traps: random.one_in(2),
        exceptions_enabled: !random.one_in(3),
        export_everything: random.one_in(3),
        gc_enabled: gc,
        reference_types_enabled: true,
        memory64_enabled: random.one_in(3),
        multi_value_enabled: true,
        simd_enabled: random.one_in(4),
        relaxed_simd_enabled: random.one_in(2),
        tail_call_enabled: !random.one_in(3),
        threads_enabled: threads,
        extended_const_enabled: true,
        wide_arithmetic_enabled: false,
        compact_imports_enabled: false,
        custom_page_sizes_enabled: false,
        shared_everything_threads_enabled: false,
        generate_custom_sections: random.one_in(4),
        limit_arrays_in_const_exprs: true,
        min_types: 2,
        max_types: 12,
        min_funcs: 3,
        max_funcs: 4 + random.below(20),
        min_exports: 1,
        max_exports: 1 + random.below(12),
        max_globals: 8,
        max_tags: 4,
        max_tables: 3,
        min_element_segments: 1,
        max_element_segments: 4,
        max_elements: 12,
        max_data_segments: 3,
        max_memories: 1 + random.below(3),
        max_memory32_bytes: memory,
        max_memory64_bytes: u128::from(memory),
        memory_max_size_required: true,
        max_table_elements: 40,
        table_max_size_required: true,
        max_instructions: 20 << random.below(4),
        ..Config::default()
    }
}
