//! The functions as comma-separated values (RFC 4180), for spreadsheets and scripts.
//!
//! Every text is quoted. One that a spreadsheet would take for a formula gets an
//! apostrophe in front, which spreadsheets hide; JSON has the names as they are.

use std::io::Write;

use crate::error::Result;
use crate::model::{Profile, unit};
use crate::names::escape;

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    out.write_all(
        b"id,module,index,name,raw name,kind,calls,total calls,self,total,unit of self and total,file,line\n",
    )?;
    let stats = profile.function_stats();
    let unit = unit(profile.clock);
    for id in profile.ranking(&stats, profile.default_sort()) {
        let function = profile.function(id);
        let stats = &stats[id.index()];
        writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{unit},{},{}",
            function.id.0,
            quoted(profile.module_name(id)),
            function.index,
            quoted(&function.name),
            quoted(profile.raw_name(id).unwrap_or_default()),
            function.kind.as_str(),
            stats.calls,
            stats.total_calls,
            stats.self_cost,
            stats.total_cost,
            quoted(function.file.as_deref().unwrap_or_default()),
            function
                .line
                .map_or_else(String::new, |line| line.to_string()),
        )?;
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    let formula = if text.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    format!("\"{formula}{}\"", escape(text).replace('"', "\"\""))
}
