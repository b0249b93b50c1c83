import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CLOCKS, PROBE_KINDS, parseArena } from '../core/options.js';
import { messageOf } from '../errors.js';
import { CONVERT_FORMATS, SORT_KEYS } from '../profile.js';
import { type ConvertOptions, convert } from './convert.js';
import { checkOutput, writeOutput } from './files.js';
import { type InstrumentOptions, instrument } from './instrument.js';
import { DEFAULT_ROWS, type ReportCommandOptions, report } from './report.js';

import { type Ending, type RunOptions, run } from './run.js';

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
    .version(version(), '-v, --version', 'print the version')
    .enablePositionalOptions()
    .showHelpAfterError('(wasm-xray --help lists commands and options)')
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      `
Examples:
  $ wasm-xray run app.mjs                         counts every call, prints a table
  $ wasm-xray run --clock wall app.mjs --flag x   with times; options after app.mjs are its own
  $ wasm-xray report app.xray --by calls
  $ wasm-xray convert app.xray -f svg -o app.svg

Exit codes: 0 done, 1 failure, 2 wrong usage; run passes on the program's.`,
    );

  program
    .command('run')
    .description('run a Node program and profile the WebAssembly in it')
    .argument('<app>', 'JavaScript program')
    .argument('[args...]', 'its arguments')
    .addOption(clockOption())
    .addOption(
      new Option('--arena <size>', 'memory for call paths, of each thread: 64K to 4G')
        .default('64M')
        .argParser(arena),
    )
    .addOption(probesOption())
    .option('-o, --out <file>', 'where to write the profile (default: <app>.xray)')
    .option('--limit <rows>', 'functions to print', positive, DEFAULT_ROWS)
    .passThroughOptions()
    .action(async (app: string, args: string[], options: RunOptions) => {
      end(await run(app, args, options));
    });

  program
    .command('report')
    .description('print the functions of a profile')
    .argument('<profile>', 'file written by run, such as app.xray')
    .addOption(
      new Option('--by <column>', 'order (default: self, or calls without times)').choices(
        SORT_KEYS,
      ),
    )
    .option(
      '--limit <rows>',
      `functions to print (default: ${DEFAULT_ROWS}, with --json all)`,
      positive,
    )
    .option('--json', 'one JSON object on standard output')
    .option('--paths', 'with --json: every call path')
    .option('--map <file>', 'map of the profile (default: <profile>.map.json)')
    .action((profile: string, options: ReportCommandOptions) => {
      process.stdout.write(`${report(profile, options).trimEnd()}\n`);
      end(DONE);
    });

  program
    .command('convert')
    .description('write a profile in another format')
    .argument('<profile>', 'file written by run, such as app.xray')
    .addOption(new Option('-f, --format <format>').choices(CONVERT_FORMATS).makeOptionMandatory())
    .option('-o, --output <file>', 'where to write it (default: standard output)')
    .option('--map <file>', 'map of the profile (default: <profile>.map.json)')
    .action((profile: string, options: ConvertOptions) => {
      if (options.output !== undefined) checkOutput(options.output);
      const bytes = convert(profile, options);
      if (options.output !== undefined) writeOutput(options.output, bytes);
      else process.stdout.write(bytes);
      end(DONE);
    });

  program
    .command('instrument')
    .description('write an instrumented copy of a module')
    .argument('<module>', 'WebAssembly module')
    .requiredOption('-o, --output <file>', 'where to write it')
    .option('--map <file>', 'write the function map as JSON, too')
    .addOption(clockOption())
    .addOption(probesOption())
    .action((module: string, options: InstrumentOptions) => {
      process.stderr.write(`${instrument(module, options)}\n`);
      end(DONE);
    });

  return program;
}

function clockOption(): Option {
  return new Option('--clock <clock>', 'calls: count only; wall: time every call, slower')
    .choices(CLOCKS)
    .default('calls');
}

function probesOption(): Option {
  return new Option('--probes <kind>', 'how modules count (default: what suits this Node)').choices(
    PROBE_KINDS,
  );
}

function arena(text: string): string {
  try {
    parseArena(text);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
  return text;
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('It must be a whole number from 1.');
  }
  return value;
}

function version(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
