import { type Command, InvalidArgumentError, Option } from 'commander';
import { GROUPS, type GroupKey, type Profile, type TransformOptions } from '../profile.js';

/** What {@link transformOptions} adds to a command's options. */
export interface TransformCommandOptions {
  readonly thread?: readonly string[];
  readonly phase?: readonly string[];
  readonly subtractProbeCost?: boolean | undefined;
  readonly mergeThreads?: boolean;
  readonly focus?: readonly string[];
  readonly ignore?: readonly string[];
  readonly from?: readonly string[];
  readonly group?: GroupKey;
  readonly collapseRecursion?: boolean;
  readonly invert?: boolean;
  readonly prune?: string;
}

/** Adds the options that choose what of a profile to show, and how. */
export function transformOptions(command: Command): Command {
  const names = (flag: string, description: string) =>
    new Option(`--${flag} <name>`, `${description}; repeat it for more`).argParser(collect);
  return command
    .addOption(names('thread', 'only this thread'))
    .addOption(names('phase', 'only this phase'))
    .addOption(subtractProbeCost())
    .option('--merge-threads', 'all threads as one')
    .addOption(names('focus', 'only paths through this function'))
    .addOption(names('ignore', 'no path through this function'))
    .addOption(names('from', 'only what is below this function'))
    .addOption(new Option('--group <what>', 'functions as one by what they are of').choices(GROUPS))
    .option('--collapse-recursion', 'no function twice on a path')
    .option('--invert', 'callers below their callees')
    .option('--prune <share>', 'what is lighter, such as 0.5%, as (other)', share)
    .addHelpText(
      'after',
      `
A name is that of a function or thread, or a part of it, or a glob with * and ?
that fits all of it, or #ID.`,
    );
}

/** For every command that shows times. */
export function subtractProbeCost(): Option {
  return new Option(
    '--subtract-probe-cost',
    'self times of the clock wall without what the probes took, as measured',
  );
}

/** The profile as the options want to see it; itself if they want nothing. */
export function transformed(profile: Profile, options: TransformCommandOptions): Profile {
  const { thread, phase, subtractProbeCost, mergeThreads, focus, ignore, from } = options;
  const { group, collapseRecursion, invert, prune } = options;
  const wanted = {
    ...{ threads: thread, phases: phase, subtractProbeCost, mergeThreads },
    ...{ focus, ignore, from },
    ...{ group, collapseRecursion, invert, prune },
  };
  const isPlain = Object.values(wanted).every((value) => value === undefined);
  return isPlain ? profile : profile.transform(wanted as TransformOptions);
}

/** For an option that can be given more than once. */
export function collect(name: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), name];
}

function share(text: string): string {
  const percent = /^\d+(\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (!(percent <= 100)) {
    throw new InvalidArgumentError('It must be a percentage from 0 to 100, such as 0.5%.');
  }
  return text;
}
