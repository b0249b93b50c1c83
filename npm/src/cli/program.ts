import { Command, InvalidArgumentError, Option } from 'commander';
import { parseGlob, parseInstructions } from '../core/filter.js';
import { CLOCKS, PROBE_KINDS, parseArena, parseDuration } from '../core/options.js';
import { packageVersion } from '../doctor/provenance.js';
import { messageOf, OptionError } from '../errors.js';
import { SORT_KEYS } from '../profile.js';
import { type ConvertOptions, convert, OUTPUT_FORMATS } from './convert.js';
import { type DiffCommandOptions, diff, GREW } from './diff.js';
import { describe, diagnose } from './doctor.js';
import { exec } from './exec.js';
import { checkOutput, writeOutput } from './files.js';
import { type InstrumentOptions, instrument } from './instrument.js';
import type { Ending } from './launch.js';
import type { ProfileOptions } from './profiled.js';
import { DEFAULT_ROWS, type ReportCommandOptions, report } from './report.js';
import { run } from './run.js';
import { type SymbolizeOptions, symbolize, symbolizeTrace, type TraceFlags } from './symbolize.js';
import { styleOf } from './terminal.js';
import { collect, subtractProbeCost, transformOptions } from './transform.js';
import { type ViewOptions, view } from './view.js';
import type { WasiFlags } from './wasi.js';

const DONE: Ending = { code: 0, signal: undefined };

/**
 * The command line.
 * @param end called with how to end when a command is done
 */
export function commandLine(end: (ending: Ending) => void): Command {
  const program = new Command('wasm-xray')
    .description(
      'Exact call counts, call paths and times for WebAssembly: runs a program, instruments every module that it loads.',
    )
    .version(packageVersion(), '-v, --version', 'print the version')
    .enablePositionalOptions()
    .showHelpAfterError('(wasm-xray --help lists commands and options)')
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      `
Examples:
  $ wasm-xray run app.mjs                      counts every call, prints a table
  $ wasm-xray run --clock wall app.mjs -x      with times; -x is the program's
  $ wasm-xray run --dir . tool.wasm in.txt     a WASI module
  $ wasm-xray exec -- wasm-pack test --node    every Node process of a command
  $ wasm-xray exec --chrome -- wasm-pack test --headless --chrome
  $ wasm-xray report app.xray --by calls
  $ wasm-xray view app.xray                    flame graphs in the browser
  $ wasm-xray convert app.xray -f svg -o app.svg
  $ wasm-xray symbolize app.xray --with app.unstripped.wasm

Exit codes:
  0  done
  1  failure
  2  wrong usage
  3  diff found more growth than --fail-above
run and exec pass on the program's, but 1 for 0 if the profile could not be
written.`,
    );

  profileOptions(program.command('run'), '<app>.xray')
    .description('run a Node program, or a WASI module, and profile the WebAssembly in it')
    .argument('<app>', 'JavaScript program or WASI module (.wasm)')
    .argument('[args...]', 'its arguments')
    .option('--env <name=value>', 'WASI: a variable of its environment; repeatable', collect)
    .option('--dir <host[::guest]>', 'WASI: a folder that it may use; repeatable', collect)
    .action(async (app: string, args: string[], options: ProfileOptions & WasiFlags) => {
      end(await run(app, args, options));
    });

  profileOptions(program.command('exec'), '<command>.xray')
    .description('run any command and profile the WebAssembly in every Node process that it starts')
    .option(
      '--chrome',
      'and in the pages that it tests in Chrome through WebDriver, as wasm-pack test --chrome does',
    )
    .argument('<command>', 'a command, such as npx; put -- before it')
    .argument('[args...]', 'its arguments')
    .action(async (command: string, args: string[], options: ProfileOptions) => {
      end(await exec(command, args, options));
    });

  transformOptions(
    program
      .command('report')
      .description('print the functions of a profile, its tree of calls, or who calls whom')
      .argument('<profile>', 'file written by run, such as app.xray')
      .addOption(
        new Option('--by <column>', 'order (default: self, or calls without times)').choices(
          SORT_KEYS,
        ),
      )
      .option(
        '--limit <rows>',
        `rows of each table (default: ${DEFAULT_ROWS}, with --json all)`,
        positive,
      )
      .option('--tree', 'the heaviest paths as a tree')
      .option('--callers <name>', 'who called this function')
      .option('--callees <name>', 'what this function called')
      .option('--json', 'one JSON object on standard output')
      .option('--paths', 'with --json: every call path')
      .option('--map <file>', 'map of the profile (default: <profile>.map.json)'),
  ).action((profile: string, options: ReportCommandOptions) => {
    process.stdout.write(`${report(profile, options).trimEnd()}\n`);
    end(DONE);
  });

  transformOptions(
    program
      .command('convert')
      .description('write a profile in another format')
      .argument('<profile>', 'file written by run, such as app.xray')
      .addOption(new Option('-f, --format <format>').choices(OUTPUT_FORMATS).makeOptionMandatory())
      .option('-o, --output <file>', 'where to write it (default: standard output)')
      .option('--map <file>', 'map of the profile (default: <profile>.map.json)'),
  ).action(async (profile: string, options: ConvertOptions) => {
    if (options.output !== undefined) checkOutput(options.output);
    const bytes = await convert(profile, options);
    if (options.output !== undefined) writeOutput(options.output, bytes);
    else process.stdout.write(bytes);
    end(DONE);
  });

  program
    .command('view')
    .description(
      'show profiles in the browser: flame graphs, tables, callers and callees, differences',
    )
    .argument('[profiles...]', 'files written by run; without any, the page takes dropped files')
    .addOption(subtractProbeCost())
    .option('--diff', 'show what changed from the first profile to the second')
    .option('--no-open', 'only print the address')
    .option('--port <number>', 'port on this computer (default: any that is free)', port, 0)
    .action(async (profiles: string[], options: ViewOptions) => {
      await view(profiles, options);
      end(DONE);
    });

  program
    .command('diff')
    .description('print what changed from one profile to another')
    .argument('<before>', 'file written by run, such as old.xray')
    .argument('<after>', 'file written by run, such as new.xray')
    .option('--json', 'one JSON object on standard output')
    .option(
      '--limit <rows>',
      'functions and paths to print (default: 30, with --json all)',
      positive,
    )
    .option(
      '--fail-above <percent>',
      'exit with code 3 if all time together (without times: all calls) grew by more, such as 5%',
      percent,
    )
    .option('--before <file>', 'one more run of the first; repeat it for more', collect)
    .option('--after <file>', 'one more run of the second; repeat it for more', collect)
    .option('--html <file>', 'write the differences as a page, too')
    .addOption(subtractProbeCost())
    .action((before: string, after: string, options: DiffCommandOptions) => {
      if (options.html !== undefined) checkOutput(options.html);
      const { report, page, failed } = diff(before, after, options);
      if (options.html !== undefined && page !== undefined) writeOutput(options.html, page);
      process.stdout.write(`${report.trimEnd()}\n`);
      if (failed) {
        process.stderr.write(`error: ${after} grew by more than ${options.failAbove}%.\n`);
      }
      end(failed ? { ...DONE, code: GREW } : DONE);
    });

  filterOptions(program.command('symbolize'))
    .description('add names, source files and lines to a profile, or make sense of a stack trace')
    .argument('[profile]', 'file written by run, such as app.xray')
    .requiredOption(
      '--with <files...>',
      'unstripped module, module with its source map, file with DWARF, or symbol map',
    )
    .option(
      '-o, --output <file>',
      'where to write the profile (default: only its map is replaced), or the text of --trace (default: standard output)',
    )
    .option('--module <name>', 'the module that a symbol map is of, if there are several')
    .option('--map <file>', 'map of the profile (default: <profile>.map.json)')
    .option(
      '--trace <file>',
      'instead of a profile: a text with stack traces of a profiled run, - for standard input; printed with the frames of the modules as they were',
    )
    .addOption(
      new Option('--clock <clock>', 'clock of the run with the trace (default: found out)').choices(
        CLOCKS,
      ),
    )
    .addOption(
      new Option(
        '--probes <kind>',
        'probes of the run with the trace (default: found out)',
      ).choices(PROBE_KINDS),
    )
    .addHelpText(
      'after',
      `
Options that choose functions are for --trace: those of the run.

Examples:
  $ wasm-xray symbolize app.xray --with app.unstripped.wasm
  $ wasm-xray symbolize app.xray --with app.wasm app.wasm.map -o named.xray
  $ wasm-xray symbolize app.xray --with app.js.symbols --module app
  $ wasm-xray symbolize --trace crash.txt --with app.wasm
  $ wasm-xray run app.mjs 2>&1 | wasm-xray symbolize --trace - --with app.wasm`,
    )
    .action((profile: string | undefined, options: SymbolizeOptions & Partial<TraceFlags>) => {
      const { trace, output } = options;
      if ((profile === undefined) === (trace === undefined)) {
        throw new OptionError(
          'Give a profile to add symbols to, or --trace with a text that has stack traces.',
        );
      }
      if (profile !== undefined) {
        process.stderr.write(`${symbolize(profile, options)}\n`);
      } else if (trace !== undefined) {
        if (output !== undefined) checkOutput(output);
        const { text, notes } = symbolizeTrace({ ...options, trace });
        if (output === undefined) process.stdout.write(text);
        else writeOutput(output, text);
        for (const note of notes) process.stderr.write(`${note}\n`);
      }
      end(DONE);
    });

  filterOptions(program.command('instrument'))
    .description('write an instrumented copy of a module')
    .argument('<module>', 'WebAssembly module')
    .requiredOption('-o, --output <file>', 'where to write it')
    .option('--map <file>', 'write the function map as JSON, too')
    .option('--offsets <file>', 'write where each instruction comes from, too')
    .addOption(clockOption())
    .addOption(probesOption())
    .action((module: string, options: InstrumentOptions) => {
      process.stderr.write(`${instrument(module, options)}\n`);
      end(DONE);
    });

  program
    .command('doctor')
    .description('print what this engine supports, what profiling costs here, and what is inside')
    .option('--json', 'one JSON object on standard output')
    .action(({ json }: { json?: boolean }) => {
      const diagnosis = diagnose();
      const text = json
        ? JSON.stringify(diagnosis, undefined, 2)
        : describe(diagnosis, styleOf(process.stdout));
      process.stdout.write(`${text}\n`);
      end(DONE);
    });

  return program;
}

/** Adds the options of a command that profiles a program. */
function profileOptions(command: Command, defaultOut: string): Command {
  return filterOptions(command)
    .addOption(clockOption())
    .addOption(
      new Option('--arena <size>', 'memory for call paths, of each thread: 64K to 4G')
        .default('64M')
        .argParser(checked(parseArena)),
    )
    .addOption(probesOption())
    .option(
      '--clock-thread',
      'with --clock wall: a thread keeps the time, so calls cost a third, and a processor is busy with it',
    )
    .addOption(
      new Option(
        '--snapshot <time>',
        'save what is known this often, such as 10s, in case the program is killed',
      ).argParser(checked(parseDuration)),
    )
    .option('--no-symbols', 'leave debug information unread: no source files and lines')
    .option('-o, --out <file>', `where to write the profile (default: ${defaultOut})`)
    .option('--limit <rows>', 'functions to print', positive, DEFAULT_ROWS)
    .passThroughOptions();
}

/** Adds the options that say which functions to instrument. */
function filterOptions(command: Command): Command {
  const globs = (name: string, description: string) =>
    new Option(`--${name} <glob>`, description).argParser(
      (glob: string, others: string[] | undefined) => [
        ...(others ?? []),
        tryOption(parseGlob, glob),
      ],
    );
  return command
    .addOption(globs('include', 'instrument only functions with such a name; repeatable'))
    .addOption(globs('exclude', 'leave out functions with such a name; repeatable'))
    .addOption(
      new Option(
        '--min-instructions <n>',
        'leave out functions of fewer instructions that have no loop',
      ).argParser((text) => tryOption(parseInstructions, text)),
    )
    .option('--attr-list <file>', "which functions always and never, in LLVM XRay's format");
}

function clockOption(): Option {
  return new Option(
    '--clock <clock>',
    'calls: count only; instructions: count those executed as well; sampled: estimate times by samples; wall: time every call, slower',
  )
    .choices(CLOCKS)
    .default('calls');
}

function probesOption(): Option {
  return new Option('--probes <kind>', 'how modules count (default: what suits this Node)').choices(
    PROBE_KINDS,
  );
}

/** A value that stays a text, once `parse` has taken it. */
function checked(parse: (text: string) => unknown): (text: string) => string {
  return (text) => {
    tryOption(parse, text);
    return text;
  };
}

function tryOption<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

function percent(text: string): number {
  const value = /^\d+(\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (!Number.isFinite(value)) {
    throw new InvalidArgumentError('It must be a percentage, such as 5% or 0.5%.');
  }
  return value;
}

function port(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 65535)) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('It must be a whole number from 1.');
  }
  return value;
}
