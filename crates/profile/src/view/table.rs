//! Figures of functions, or of the callers or callees of one, as columns.

use super::View;
use crate::model::FunctionId;
use crate::query::neighbours::{Neighbour, Party};
use crate::query::stats::{SortBy, Stats};

/// Stands for a row where the caller is not instrumented: JavaScript, or a thread's start.
pub const HOST: u32 = u32::MAX;

/// Columns of one side, of the same length as the rows that they belong to. Costs
/// are in the clock's unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Row, [`HOST`] or [`super::DROPPED`].
    pub rows: Vec<u32>,
    pub calls: Vec<u64>,
    pub self_costs: Vec<u64>,
    pub total_costs: Vec<u64>,
    pub total_calls: Vec<u64>,
}

impl View {
    /// Figures of every function on one side, by row.
    pub fn functions(&self, side: usize) -> Table {
        let side = &self.sides[side];
        let mut table = Table::of((0..self.rows as u32).collect());
        let stats = side.profile.function_stats();
        for (row, stats) in side.row_of.iter().zip(&stats) {
            table.add(*row as usize, stats);
        }
        table
    }

    /// Who called the functions of a row, as [`crate::Profile::callers`] has it.
    pub fn callers(&self, side: usize, row: u32) -> Table {
        let profile = &self.sides[side].profile;
        self.neighbours(side, row, |id| profile.callers(id, SortBy::Total))
    }

    /// Whom the functions of a row called, as [`crate::Profile::callees`] has it.
    pub fn callees(&self, side: usize, row: u32) -> Table {
        let profile = &self.sides[side].profile;
        self.neighbours(side, row, |id| profile.callees(id, SortBy::Total))
    }

    fn neighbours(
        &self,
        side: usize,
        row: u32,
        of: impl Fn(FunctionId) -> Vec<Neighbour>,
    ) -> Table {
        let mut table = Table::default();
        for function in self.functions_of(side, row) {
            for Neighbour { party, stats } in of(function) {
                let row = match party {
                    Party::Function(id) => self.sides[side].row_of[id.index()],
                    Party::Host => HOST,
                    Party::DroppedPath => super::DROPPED,
                };
                let known = table.rows.iter().position(|known| *known == row);
                let at = known.unwrap_or_else(|| table.push(row));
                table.add(at, &stats);
            }
        }
        table
    }
}

impl Table {
    fn of(rows: Vec<u32>) -> Table {
        let zeros = vec![0; rows.len()];
        Table {
            rows,
            calls: zeros.clone(),
            self_costs: zeros.clone(),
            total_costs: zeros.clone(),
            total_calls: zeros,
        }
    }

    fn push(&mut self, row: u32) -> usize {
        self.rows.push(row);
        self.calls.push(0);
        self.self_costs.push(0);
        self.total_costs.push(0);
        self.total_calls.push(0);
        self.rows.len() - 1
    }

    fn add(&mut self, at: usize, stats: &Stats) {
        for (column, figure) in [
            (&mut self.calls, stats.calls),
            (&mut self.self_costs, stats.self_cost),
            (&mut self.total_costs, stats.total_cost),
            (&mut self.total_calls, stats.total_calls),
        ] {
            column[at] = column[at].saturating_add(figure);
        }
    }
}
