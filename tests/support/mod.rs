//! A second reader of blocks, written from docs/FORMAT.md, and a trie to fill them.

#![allow(dead_code, reason = "each test uses its part")]

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::ops::Deref;

use wasm_xray::{Buffer, Collector, FunctionCallTrie, FunctionId, StackSegment, Trie};

pub const ARENA: u32 = 64 << 10;

pub fn words(bytes: u32) -> Vec<u64> {
    // Not zero, as storage may be.
    vec![0xABAB_ABAB_ABAB_ABAB; bytes as usize / 8]
}

/// A trie in its own (leaked) storage, with one module of functions 1, 2, ….
pub fn trie(bytes: u32, slots: &[u32]) -> Trie<Buffer<'static>> {
    let trie = Trie::new(Buffer::new(words(bytes).leak()));
    trie.init(bytes).unwrap();
    register(&trie, slots);
    trie
}

pub fn register(trie: &Trie<Buffer<'_>>, slots: &[u32]) -> u32 {
    let base = trie
        .begin_module(slots.len() as u32, slots.iter().sum())
        .unwrap();
    for (function, &slots) in (base..).zip(slots) {
        assert_eq!(trie.add_function(slots).unwrap().get(), function);
    }
    base
}

pub fn id(function: u32) -> FunctionId {
    FunctionId::new(function).unwrap()
}

/// Path from the root, or the function alone if the path was dropped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Path {
    Of(Vec<u32>),
    Dropped(u32),
}

/// What a file says: for each thread and path, calls and cost.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct File {
    pub header: [u64; 4],
    pub paths: BTreeMap<(u64, Path), (u64, u64)>,
    pub blocks: u32,
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn u32(&mut self) -> u32 {
        let (value, rest) = self.0.split_first_chunk().unwrap();
        self.0 = rest;
        u32::from_le_bytes(*value)
    }

    fn u64(&mut self) -> u64 {
        let (value, rest) = self.0.split_first_chunk().unwrap();
        self.0 = rest;
        u64::from_le_bytes(*value)
    }
}

pub fn parse(buffers: &[Vec<u8>]) -> File {
    let (header, blocks) = buffers.split_first().expect("a file header");
    assert_eq!(header.len(), 32);
    let mut header = Bytes(header);
    let mut file = File {
        header: [header.u64(), header.u64(), header.u64(), header.u64()],
        ..File::default()
    };
    assert_eq!(file.header[0], 0x7872617970726f66);
    let mut nodes = BTreeMap::new();
    for block in blocks {
        let mut bytes = Bytes(block);
        assert_eq!(bytes.u32() as usize, block.len());
        assert_eq!(bytes.u32(), file.blocks, "blocks are numbered from 0");
        let thread = bytes.u64();
        assert_ne!(thread, 0);
        file.blocks += 1;
        assert!(!bytes.0.is_empty(), "a block has records");
        while !bytes.0.is_empty() {
            let path = match file.header[1] {
                0x20261130 => compact_path(&mut bytes, thread, &mut nodes),
                0x20180424 => xray_path(&mut bytes),
                version => panic!("version {version:#x}"),
            };
            let (calls, cost) = file.paths.entry((thread, path)).or_default();
            *calls += bytes.u64();
            *cost += bytes.u64();
        }
    }
    file
}

fn compact_path(
    bytes: &mut Bytes<'_>,
    thread: u64,
    nodes: &mut BTreeMap<(u64, u32), Vec<u32>>,
) -> Path {
    let (node, parent, function, flags) = (bytes.u32(), bytes.u32(), bytes.u32(), bytes.u32());
    if flags == 1 {
        assert_eq!(parent, 0);
        return Path::Dropped(function);
    }
    assert_eq!(flags, 0);
    let mut path = if parent == 0 {
        Vec::new()
    } else {
        nodes[&(thread, parent)].clone()
    };
    path.push(function);
    nodes.insert((thread, node), path.clone());
    Path::Of(path)
}

fn xray_path(bytes: &mut Bytes<'_>) -> Path {
    let mut path: Vec<u32> = std::iter::repeat_with(|| bytes.u32())
        .take_while(|&function| function != 0)
        .collect();
    path.reverse();
    Path::Of(path)
}

/// A trie with a shadow stack.
pub type Calls = FunctionCallTrie<'static, Buffer<'static>>;

/// Functions 1 to `functions`, a shadow stack of 6,400 frames, all leaked.
pub fn calls(bytes: u32, functions: usize) -> Calls {
    calls_on(bytes, functions, 100)
}

pub fn calls_on(bytes: u32, functions: usize, segments: usize) -> Calls {
    let segments: Vec<MaybeUninit<StackSegment>> = std::iter::repeat_with(MaybeUninit::uninit)
        .take(segments)
        .collect();
    FunctionCallTrie::new(trie(bytes, &vec![0; functions]), segments.leak())
}

/// 1 from 1 to 4, 2 in it from 2 to 3.
pub fn work() -> Calls {
    let mut trie = calls(ARENA, 2);
    trie.enter_function(id(1), 1).unwrap();
    trie.enter_function(id(2), 2).unwrap();
    trie.exit_function(id(2), 3);
    trie.exit_function(id(1), 4);
    trie
}

/// Calls of each function that was called, dropped ones included.
pub fn calls_per_function(trie: &Trie<Buffer<'_>>) -> BTreeMap<u32, u64> {
    let mut calls = BTreeMap::new();
    for node in trie.nodes() {
        // SAFETY: a node of this trie.
        let (function, count) = unsafe { (trie.function(node).unwrap().get(), trie.calls(node)) };
        if count > 0 {
            *calls.entry(function).or_default() += count;
        }
    }
    calls
}

/// The rest of a file, in pieces of up to `len` bytes.
pub fn pieces<T, const TRIES: usize>(collector: &Collector<T, TRIES>, len: usize) -> Vec<Vec<u8>>
where
    T: Deref<Target = Trie<Buffer<'static>>>,
{
    let mut buffer = vec![0; len];
    std::iter::from_fn(|| {
        collector
            .next_buffer(&mut buffer)
            .unwrap()
            .map(<[u8]>::to_vec)
    })
    .collect()
}
