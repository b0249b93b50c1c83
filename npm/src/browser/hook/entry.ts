/**
 * The hook for pages, frames and workers; bundled to `hook.js`, which exports
 * `install` as a global variable and does nothing by itself.
 */
import { type PackagedFile, readPackagedWith } from '../../core/packaged.js';
import { withProbeCost } from '../../core/probe-cost.js';
import { Session } from '../../core/session.js';
import { ownAddress, setOwnAddress } from '../../hook/caller.js';
import { handlersOf } from '../../hook/handlers.js';
import { Loader } from '../../hook/loader.js';
import { hideReplacements, patchWebAssembly } from '../../hook/patch.js';
import '../sampler.js';
import { setBase } from './base.js';
import { openChannel } from './channel.js';
import type { HookConfig, HookSource, Place } from './config.js';
import { noteElsewhere } from './elsewhere.js';
import { hookFrames } from './frames.js';
import { probeBlobs, probeBlobsInWorker } from './policy.js';
import { Recorder } from './recorder.js';
import { recordWorker } from './worker.js';
import { patchWorkers } from './workers.js';

/** Under which a hooked realm has its recorder. */
const RECORDER = Symbol.for('wasm-xray.recorder');

/**
 * Hooks this realm: every module that it loads from now on is recorded. Does
 * nothing the second time.
 */
export function install(config: HookConfig, place: Place, source: HookSource): Recorder {
  const installed: unknown = Reflect.get(globalThis, RECORDER);
  if (installed) return installed as Recorder;

  const address = ownAddress();
  if (address) setOwnAddress(address);
  readPackagedWith((file: PackagedFile) => fromBase64(config.files[file]));
  const session = withProbeCost(new Session(config.settings));
  session.keepsOriginals = true;
  const handlers = handlersOf(session, new Loader(session));

  const channel = openChannel(config.channel, (message) => receive(message));
  const recorder = new Recorder(config.channel, place.name, session, channel);
  if (place.phase !== undefined) recorder.phases.mark(place.phase);
  let receive = recorder.receive.bind(recorder);
  Object.defineProperty(globalThis, RECORDER, { value: recorder });
  hideReplacements();
  patchWebAssembly(() => handlers);

  if (place.worker) {
    receive = recordWorker(recorder, channel, place.worker.id);
    const { address } = place.worker;
    const resolve = address === undefined ? undefined : setBase(address);
    const host = { config, source, recorder, resolve: resolve ?? String };
    patchWorkers({ ...host, blobs: probeBlobsInWorker() });
    return recorder;
  }
  const resolve = (relative: string) =>
    URL.canParse(relative, document.baseURI) ? new URL(relative, document.baseURI).href : relative;
  patchWorkers({ config, source, recorder, resolve, blobs: probeBlobs() });
  hookFrames(config, source, recorder, RECORDER);
  noteElsewhere(recorder);
  const onHide = () => recorder.setLeaving(true);
  globalThis.addEventListener('pagehide', onHide, true);
  globalThis.addEventListener('pageshow', () => recorder.setLeaving(false), true);
  const { navigation } = globalThis as { navigation?: EventTarget };
  navigation?.addEventListener('navigate', (event) => {
    const { destination, downloadRequest } = event as Event & {
      destination?: { sameDocument: boolean };
      downloadRequest?: unknown;
    };
    if (!destination?.sameDocument && downloadRequest == null) onHide();
  });
  return recorder;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native: unknown = Reflect.get(Uint8Array, 'fromBase64');
  if (typeof native === 'function') {
    return Reflect.apply(native, Uint8Array, [text]) as Uint8Array<ArrayBuffer>;
  }
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
