//! Times without the probes.
//!
//! With clock `wall` the probes of a call read the clock when it begins and when it
//! ends. What they do after the first reading and before the second is in the callee's
//! self time; the rest is in the caller's. Both were measured when the profile was
//! recorded.

use crate::error::{Error, Result};
use crate::model::{Clock, ProbeCost, Profile, Trie, Weight, clock_name};
use crate::report::thousandths;

const PS_PER_NS: u128 = 1000;

impl Profile {
    /// With less self time on each node: for its own calls and for those that it
    /// made, but never less than 0. Says what was taken in [`Profile::unseen`].
    pub(super) fn without_probe_cost(&self) -> Result<Profile> {
        if self.clock != Clock::Wall {
            return Err(Error::new(format!(
                "there is no probe cost to subtract: the profile's clock is {}, and only \
                 times of the clock wall have probes in them",
                clock_name(self.clock)
            )));
        }
        let Some(cost) = self.probe_cost else {
            return Err(Error::new(
                "the probe cost cannot be subtracted: the profile does not say what a probe \
                 costs, or it was subtracted before; record it again with --clock wall and without --clock-thread",
            ));
        };
        let mut view = self.clone();
        view.probe_cost = None;
        for thread in &mut view.threads {
            subtract(&mut thread.trie, cost);
        }
        let before = self.sum(Weight::Cost);
        view.unseen.push(format!(
            "probes: {} of {} µs were subtracted, for each call {} ns from itself and {} ns from \
             its caller, as measured; a self time never becomes less than 0",
            thousandths(before.saturating_sub(view.sum(Weight::Cost))),
            thousandths(before),
            thousandths(cost.inner_ps.into()),
            thousandths(cost.outer_ps.into()),
        ));
        Ok(view)
    }
}

fn subtract(trie: &mut Trie, cost: ProbeCost) {
    // A product of 64 and 32 bits; sums of them in real profiles stay far below 128.
    let mut due_ps = vec![0u128; trie.len()];
    for node in trie.nodes() {
        let calls = u128::from(trie.calls(node));
        let inner = calls * u128::from(cost.inner_ps);
        due_ps[node.index()] = due_ps[node.index()].saturating_add(inner);
        if let Some(parent) = trie.parent(node) {
            let outer = calls * u128::from(cost.outer_ps);
            due_ps[parent.index()] = due_ps[parent.index()].saturating_add(outer);
        }
    }
    for (self_ns, due_ps) in trie.self_costs.iter_mut().zip(due_ps) {
        let due_ns = u64::try_from(due_ps / PS_PER_NS).unwrap_or(u64::MAX);
        *self_ns = self_ns.saturating_sub(due_ns);
    }
}
