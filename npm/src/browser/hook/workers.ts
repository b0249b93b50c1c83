import { replaceConstructor, replaceFunction } from '../../hook/patch.js';
import { addressOf, blobOf, isStrictBlob, rememberBlobs } from './blobs.js';
import type { HookConfig, HookSource, Place } from './config.js';
import { plainCopy } from './plain.js';
import type { BlobPolicy } from './policy.js';
import type { Recorder } from './recorder.js';

// Taken now: a program may replace them.
const { Blob, Worker } = globalThis;

/** Workers that run without the hook: a module with probes could not be linked there. */
const unhooked = new WeakSet<object>();
const ids = new WeakMap<object, string>();

/** What starting workers depends on. */
export interface WorkerHost {
  readonly config: HookConfig;
  readonly source: HookSource;
  readonly recorder: Recorder;
  /** Resolves an address as the host does. */
  readonly resolve: (address: string) => string;
  /** What may be done with blobs here. */
  readonly blobs: () => BlobPolicy;
}

/**
 * Starts every dedicated worker from a script of ours, which installs the hook and
 * then loads the program's own. Where that cannot be done it starts as it was.
 */
export function patchWorkers(host: WorkerHost): void {
  if (typeof Worker !== 'function') return;
  rememberBlobs();
  let count = 0;
  replaceConstructor(globalThis, 'Worker', (args, construct) => {
    if (args.length === 0) return construct(args);
    const [address, options, ...rest] = args;
    const name = `worker ${++count}${label(address, options)}`;
    const id = `${Math.random().toString(36).slice(2)}-${count}`;
    const start = startAddress(host, String(address), options, { id, name: ownName(host, name) });
    if (typeof start === 'string') {
      try {
        const worker = construct([start, options, ...rest]);
        ids.set(worker, id);
        return worker;
      } catch {
        // Such as a policy of trusted types: as it was, then.
      }
    }
    const worker = construct(args);
    unhooked.add(worker);
    const reason =
      start === undefined || typeof start === 'string'
        ? 'its script could not be started from a blob'
        : start.reason;
    host.recorder.noteUnseen(`${ownName(host, name)} was not recorded: ${reason}.`);
    return worker;
  });
  replaceFunction(Worker.prototype, 'terminate', (args, native, self) => {
    const id = ids.get(self as object);
    if (id !== undefined) host.recorder.noteTerminated(id);
    return native(args);
  });
  replaceFunction(Worker.prototype, 'postMessage', (args, native, self) => {
    if (!unhooked.has(self as object)) return native(args);
    const [message, ...rest] = args;
    return native([plainCopy(message, host.recorder.session), ...rest]);
  });
}

function ownName({ recorder }: WorkerHost, name: string): string {
  return recorder.name === 'main' ? name : `${recorder.name} ${name}`;
}

/** ` (name)` after the option, else the script. */
function label(address: unknown, options: unknown): string {
  const name: unknown = typeof options === 'object' && options ? Reflect.get(options, 'name') : '';
  const text = String(address);
  const script = /^(?:blob|data):/.test(text) ? '' : /[^/?#]*(?=[?#]|$)/.exec(text)?.[0];
  const shown = String(name ?? '') || script;
  return shown ? ` (${shown})` : '';
}

/** Where the script of ours is; or why there is none. */
function startAddress(
  host: WorkerHost,
  given: string,
  options: unknown,
  { id, name }: { readonly id: string; readonly name: string },
): string | { readonly reason: string } | undefined {
  const isModule =
    typeof options === 'object' && options !== null && Reflect.get(options, 'type') === 'module';
  let address = host.resolve(given);
  let programAddress: string | undefined = address;
  let blob: Blob | undefined;
  if (address.startsWith('blob:')) {
    blob = blobOf(address);
    if (!blob) return { reason: 'its blob is not known' };
    address = addressOf(blob);
    programAddress = undefined;
  } else if (!/^https?:/.test(address)) {
    return { reason: `its script is at ${address.slice(0, 60)}` };
  } else if (new URL(address).origin !== globalThis.origin) {
    return { reason: 'its script is of another origin' }; // The engine refuses it.
  }
  const policy = host.blobs();
  const forbidden = (what: string) => ({
    reason: policy.isKnown
      ? `the page's Content-Security-Policy forbids ${what} from blobs`
      : `it was not known yet whether the page's Content-Security-Policy allows ${what} from blobs`,
  });
  // A worker that the program starts from a blob starts from one of ours if it starts at all.
  const isStrict = blob && !isModule ? isStrictBlob(blob) : undefined;
  const mayJoin = isStrict !== undefined && (policy.workers || !policy.isKnown);
  if (!policy.workers && !mayJoin) {
    return forbidden(blob && !policy.isKnown ? 'scripts' : 'workers');
  }
  const mayLoad = policy.scripts || (!isModule && programAddress !== undefined);
  if (!mayLoad && !mayJoin) return forbidden('scripts');
  const { phase } = host.recorder.phases;
  const place: Place = { name, phase, worker: { id, address: programAddress } };
  const hook = [
    '(() => { const source = ',
    JSON.stringify(host.source),
    `; (${host.source})(`,
    sharedConfig(host.config),
    `, ${JSON.stringify(place)}, source); })();`,
  ];
  const script = (parts: BlobPart[]) => addressOf(new Blob(parts, { type: 'text/javascript' }));
  // Lines and columns are others then.
  if (blob && mayJoin && !(policy.isKnown && policy.scripts)) {
    return script([isStrict ? '"use strict";' : '', ...hook, '\n', blob]);
  }
  return isModule
    ? script([`import ${JSON.stringify(script(hook))};\nimport ${JSON.stringify(address)};\n`])
    : script([...hook, `\nimportScripts(${JSON.stringify(address)});\n`]);
}

let shared: { readonly config: HookConfig; readonly blob: Blob } | undefined;

/** The configuration, which is several MB, once for all workers. */
function sharedConfig(config: HookConfig): Blob {
  if (shared?.config !== config) shared = { config, blob: new Blob([JSON.stringify(config)]) };
  return shared.blob;
}
