#!/usr/bin/env node
import { CommanderError } from 'commander';
import { OptionError, XrayError } from '../errors.js';
import '../node/packaged.js';
import type { Ending } from './launch.js';
import { commandLine } from './program.js';

const FAILURE = 1;
const USAGE = 2;

/** Ends as the profiled program did. */
function end({ code, signal }: Ending): void {
  process.exitCode = code;
  if (signal) process.kill(process.pid, signal);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (error instanceof OptionError) {
    process.stderr.write(`error: ${error.message}\n`);
    return USAGE;
  }
  if (error instanceof XrayError) {
    process.stderr.write(`error: ${error.message}\n`);
    return FAILURE;
  }
  throw error; // A defect of ours: its stack is wanted.
}

// A reader such as `head` may have seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const program = commandLine(end);
for (const command of [program, ...program.commands]) command.exitOverride();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
