//! Where each frame goes: heaviest to the left, a level below the other.

use super::frames::Frames;

/// Frames that have a width, by level and then from left to right.
pub(super) struct Layout {
    /// First frame of each level, and the end.
    pub levels: Vec<u32>,
    /// Index into [`Frames`].
    pub frames: Vec<u32>,
    /// Place of the parent; of the first frame its own.
    pub parents: Vec<u32>,
    pub starts: Vec<f64>,
    pub widths: Vec<f64>,
}

pub(super) fn layout(frames: &Frames) -> Layout {
    let widths = widths(frames);
    let mut layout = Layout {
        levels: vec![0],
        frames: Vec::with_capacity(widths.len()),
        parents: Vec::with_capacity(widths.len()),
        starts: Vec::with_capacity(widths.len()),
        widths: Vec::with_capacity(widths.len()),
    };
    let mut starts = Vec::with_capacity(widths.len());
    layout.place(0, 0, 0, widths[0], &mut starts);
    let mut by_width: Vec<u32> = Vec::new();
    let mut level = 0..1;
    while !level.is_empty() {
        layout.levels.push(level.end as u32);
        for place in level.clone() {
            let (first, count) = frames.children[layout.frames[place] as usize];
            by_width.clear();
            by_width.extend((first..first + count).filter(|child| widths[*child as usize] > 0));
            // Stable: of two that weigh the same, the first called.
            by_width.sort_by_key(|child| std::cmp::Reverse(widths[*child as usize]));
            let mut start = starts[place];
            for child in &by_width {
                let width = widths[*child as usize];
                layout.place(*child, place as u32, start, width, &mut starts);
                start = start.saturating_add(width);
            }
        }
        level = level.end..layout.frames.len();
    }
    layout
}

impl Layout {
    fn place(&mut self, frame: u32, parent: u32, start: u64, width: u64, starts: &mut Vec<u64>) {
        self.frames.push(frame);
        self.parents.push(parent);
        self.starts.push(start as f64);
        self.widths.push(width as f64);
        starts.push(start);
    }
}

/// A frame is as wide as its own part and its children: what it weighs. With two
/// sides own parts are as wide as the larger side's, so that nothing that only one
/// side has is hidden and children never stick out.
fn widths(frames: &Frames) -> Vec<u64> {
    let [before, after] = frames.weights.as_slice() else {
        return frames.weights[0].clone();
    };
    let mut widths = vec![0u64; before.len()];
    for frame in (0..before.len()).rev() {
        let (first, count) = frames.children[frame];
        let children = first as usize..(first + count) as usize;
        let own = |side: &[u64]| {
            let below = side[children.clone()].iter();
            below.fold(side[frame], |own, child| own.saturating_sub(*child))
        };
        let own = own(before).max(own(after));
        let below = widths[children.clone()].iter();
        widths[frame] = below.fold(own, |sum, width| sum.saturating_add(*width));
    }
    widths
}
