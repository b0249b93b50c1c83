//! Profile files: the header, then blocks of either layout.
//!
//! Sources: `docs/FORMAT.md`; for XRay's layout LLVM compiler-rt,
//! `xray_profile_collector.cpp`. Memory is bounded by the size of the input,
//! whatever lengths it claims.

use std::collections::HashMap;

use wasm_xray_abi::block::{BLOCK_HEADER_SIZE, FILE_HEADER_SIZE, VERSION_COMPACT, VERSION_XRAY};

use super::bytes::Bytes;
use super::compact::CompactThread;
use super::map::{self, Names};
use super::xray::XrayThread;
use crate::error::{Error, Result};
use crate::functions::FunctionTable;
use crate::model::{Clock, Origin, Profile, Thread, Trie, Weight};

/// Reads a file that starts with the magic number.
pub(super) fn read(file: &[u8], map: &str) -> Result<Profile> {
    let names = Names::parse(map)?;
    let (layout, origin, blocks) = read_header(file)?;
    let clock = names.clock.or(match layout {
        Layout::Xray => Some(Clock::Tsc),
        Layout::Compact => None,
    });
    let mut functions = FunctionTable::new(clock == Some(Clock::Tsc));
    functions.add_modules(names.modules)?;
    let mut tries = Tries::new(layout, &names.threads);
    read_blocks(blocks, &mut tries, &mut functions)?;

    let lost = tries.lost;
    let mut threads = tries.finish(names.threads)?;
    let (modules, functions) = functions.finish(&mut threads)?;
    let has_cost = || {
        threads
            .iter()
            .any(|thread| thread.trie.sum(Weight::Cost) > 0)
    };
    let mut dropped = names.dropped;
    dropped.paths = dropped.paths.saturating_add(lost.paths);
    dropped.calls = dropped.calls.saturating_add(lost.calls);
    Ok(Profile {
        origin,
        clock: clock.unwrap_or_else(|| {
            if has_cost() {
                Clock::Wall
            } else {
                Clock::Calls
            }
        }),
        clock_step_ns: names.clock_step_ns,
        sampling: names.sampling,
        probe_cost: names.probe_cost,
        threads,
        modules,
        functions,
        dropped,
        skipped_modules: names.skipped,
        unseen: names.unseen,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Compact,
    Xray,
}

fn read_header(file: &[u8]) -> Result<(Layout, Origin, Bytes<'_>)> {
    let mut bytes = Bytes::new(file);
    bytes.need(FILE_HEADER_SIZE, "the file header")?;
    bytes.u64("the magic number")?;
    let layout = match bytes.u64("the version")? {
        VERSION_COMPACT => Layout::Compact,
        VERSION_XRAY => Layout::Xray,
        version => {
            return Err(Error::at(
                8,
                format!(
                    "the profile has version {version:#x}; this reader knows {VERSION_XRAY:#x} \
                     (XRay) and {VERSION_COMPACT:#x} (compact): use the wasm-xray that wrote it"
                ),
            ));
        }
    };
    let origin = Origin {
        timestamp_ns: bytes.u64("the time stamp")?,
        process_id: bytes.u64("the process id")?,
    };
    Ok((layout, origin, bytes))
}

fn read_blocks(mut bytes: Bytes, tries: &mut Tries, functions: &mut FunctionTable) -> Result<()> {
    while !bytes.is_empty() {
        let start = bytes.offset();
        bytes.need(BLOCK_HEADER_SIZE, "a block header")?;
        let size = bytes.u32("the block size")? as usize;
        let _number = bytes.u32("the block number")?;
        let thread = bytes.u64("the thread id")?;
        if size < BLOCK_HEADER_SIZE {
            return Err(Error::at(
                start,
                format!("a block says it has {size} bytes, less than its header of 16"),
            ));
        }
        if thread == 0 {
            return Err(Error::at(
                start + 8,
                "a block has thread id 0; ids start at 1",
            ));
        }
        let Some(records) = bytes.take(size - BLOCK_HEADER_SIZE) else {
            return Err(Error::at(
                start,
                format!(
                    "a block says it has {size} bytes, but the file ends after {}: it is truncated",
                    BLOCK_HEADER_SIZE + bytes.len()
                ),
            ));
        };
        tries.read(thread, records, functions)?;
    }
    Ok(())
}

/// Records lost by whoever wrote the file: XRay cuts the path off when it is too deep.
#[derive(Clone, Copy, Default)]
pub(super) struct Lost {
    pub paths: u64,
    pub calls: u64,
}

/// The tries under construction, by thread, in the map's order and then the file's.
struct Tries {
    by_id: HashMap<u64, usize>,
    ids: Vec<u64>,
    threads: ThreadReaders,
    lost: Lost,
}

enum ThreadReaders {
    Compact(Vec<CompactThread>),
    Xray(Vec<XrayThread>),
}

impl Tries {
    fn new(layout: Layout, listed: &[map::ThreadName]) -> Tries {
        let mut tries = Tries {
            by_id: HashMap::new(),
            ids: Vec::new(),
            threads: match layout {
                Layout::Compact => ThreadReaders::Compact(Vec::new()),
                Layout::Xray => ThreadReaders::Xray(Vec::new()),
            },
            lost: Lost::default(),
        };
        for thread in listed {
            tries.thread(thread.id);
        }
        tries
    }

    fn thread(&mut self, id: u64) -> usize {
        let index = *self.by_id.entry(id).or_insert(self.ids.len());
        if index == self.ids.len() {
            self.ids.push(id);
            match &mut self.threads {
                ThreadReaders::Compact(threads) => threads.push(CompactThread::default()),
                ThreadReaders::Xray(threads) => threads.push(XrayThread::default()),
            }
        }
        index
    }

    fn read(&mut self, id: u64, records: Bytes, functions: &mut FunctionTable) -> Result<()> {
        let index = self.thread(id);
        match &mut self.threads {
            ThreadReaders::Compact(threads) => threads[index].read(records, functions),
            ThreadReaders::Xray(threads) => threads[index].read(records, functions, &mut self.lost),
        }
    }

    fn finish(self, listed: Vec<map::ThreadName>) -> Result<Vec<Thread>> {
        let tries: Vec<Trie> = match self.threads {
            ThreadReaders::Compact(threads) => {
                threads.into_iter().map(CompactThread::finish).collect()
            }
            ThreadReaders::Xray(threads) => threads.into_iter().map(XrayThread::finish).collect(),
        };
        let mut listed = listed.into_iter();
        let threads = self.ids.into_iter().zip(tries).map(|(id, trie)| {
            // The first ones are those that the map lists.
            let (name, phase) = match listed.next() {
                Some(thread) => (thread.name, thread.phase),
                None => (format!("thread {id}"), None),
            };
            Thread {
                id,
                name,
                phase,
                trie,
            }
        });
        Ok(threads.collect())
    }
}
