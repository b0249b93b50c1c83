import './panel.css';
import type { Part } from '../../../npm/src/browser/hook/recorder.js';
import { load } from '../../../npm/src/core/load.js';
import type { Clock } from '../../../npm/src/core/options.js';
import { Profile } from '../../../npm/src/profile.js';
import { type Mounted, mount } from '../../viewer/src/mount.js';
import { devtools } from './api.js';
import { runtimeUrl, toolkitUrl } from './files.js';
import { showProgress } from './live.js';
import { Recording } from './recording.js';

const element = <T extends HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The panel has no ${id}.`);
  return found as T;
};

const recordButton = element<HTMLButtonElement>('record');
const stopButton = element<HTMLButtonElement>('stop');
const saveButton = element<HTMLButtonElement>('save');
const againButton = element<HTMLButtonElement>('again');
const clock = element<HTMLSelectElement>('clock');
const arena = element<HTMLSelectElement>('arena');
const status = element('status');
const failure = element('failure');
const phase = element<HTMLInputElement>('phase');

type View = 'idle' | 'live' | 'result';
const VIEWS: readonly View[] = ['idle', 'live', 'result'];

let recording: Recording | undefined;
let profile: Profile | undefined;
let viewer: Mounted | undefined;

function show(view: View): void {
  for (const name of VIEWS) element(name).hidden = name !== view;
  const isLive = view === 'live';
  recordButton.disabled = isLive;
  stopButton.disabled = !isLive;
  clock.disabled = isLive;
  arena.disabled = isLive;
  saveButton.disabled = view !== 'result' || !profile;
}

function fail(error: unknown): void {
  failure.textContent = error instanceof Error ? error.message : String(error);
  failure.hidden = false;
}

async function record(): Promise<void> {
  failure.hidden = true;
  profile = undefined;
  recording = new Recording(
    { clock: clock.value as Clock, arena: arena.value },
    (progress) => {
      failure.hidden = true;
      showProgress(progress);
    },
    fail,
  );
  show('live');
  status.textContent = 'Recording';
  await recording.start();
}

async function beginPhase(): Promise<void> {
  const name = phase.value.trim();
  if (name === '') return;
  await recording?.mark(name);
  status.textContent = `Recording, phase ${name}`;
  phase.value = '';
}

async function stop(): Promise<void> {
  if (!recording) return;
  stopButton.disabled = true;
  status.textContent = 'Taking the profile out of the page …';
  try {
    const parts = await recording.stop();
    recording = undefined;
    await showResult(parts);
  } catch (error) {
    fail(error);
    show('idle');
    status.textContent = '';
  }
}

async function showResult(parts: readonly Part[]): Promise<void> {
  status.textContent = '';
  if (parts.length === 0) {
    show('idle');
    fail('The page loaded no WebAssembly while it was recorded.');
    return;
  }
  await load({ runtime: runtimeUrl, toolkit: toolkitUrl });
  profile = Profile.merge(parts);
  show('result');
  const profiles = [
    {
      name: 'page.xray',
      blocks: profile.blocks(),
      map: new TextEncoder().encode(profile.map()),
    },
  ];
  if (viewer) await viewer.setProfiles(profiles);
  else viewer = await mount(element('result'), { toolkit: toolkitUrl, profiles });
}

function save(): void {
  if (!profile) return;
  download('page.xray', profile.blocks());
  download('page.map.json', profile.map());
}

function download(name: string, data: Uint8Array | string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data as BlobPart]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

recordButton.addEventListener('click', () => void record().catch(fail));
stopButton.addEventListener('click', () => void stop());
element('phases').addEventListener('submit', (event) => {
  event.preventDefault();
  void beginPhase().catch(fail);
});
saveButton.addEventListener('click', save);
againButton.addEventListener('click', () => void recording?.start().catch(fail));
show('idle');
if (!devtools) fail('This page works as a panel of DevTools only.');
