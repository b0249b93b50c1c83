// Exports in the hands of the tools that they are for: speedscope's own page,
// Chrome DevTools' own model of a CPU profile, callgrind_annotate, and pprof's messages by
// another library. The figures of each function are those of the profile's paths.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Profile as Pprof } from 'pprof-format';
import { runCli } from '../node/support.mjs';
import { launch } from './chromium.mjs';
import { openPanel } from './devtools.mjs';
import { serve } from './server.mjs';

const golden = (name) =>
  fileURLToPath(new URL(`../../crates/profile/tests/golden/${name}`, import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), 'wasm-xray-tools-'));
after(() => rmSync(cwd, { recursive: true }));

/** Runs the command line on one of the hand-made profiles. */
function cli(command, profile, ...args) {
  const file = [golden(`${profile}.compact`), '--map', golden(`${profile}.map.json`)];
  const run = runCli([command, ...file, ...args], {}, { cwd });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
}

function converted(profile, format) {
  const file = join(cwd, `${profile}.${format}`);
  cli('convert', profile, '-f', format, '-o', file);
  return file;
}

/** Own and inclusive sums of each function, added up from the paths alone. */
function figuresOf(profile, weight, thread) {
  const chosen = thread === undefined ? [] : ['--thread', thread];
  const report = JSON.parse(cli('report', profile, '--json', '--paths', ...chosen));
  const figures = {};
  for (const { id, name } of report.functions) {
    const of = (paths) => paths.reduce((sum, path) => sum + path[weight], 0);
    figures[shown(name)] = {
      self: of(report.paths.filter(({ path }) => path.at(-1) === id)),
      total: of(report.paths.filter(({ path }) => path.includes(id))),
    };
  }
  return figures;
}

/** As formats for people have it: control characters escaped. */
const shown = (name) =>
  name.replace(/\p{Cc}/gu, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);

/** The profiles that speedscope finds in a file: title of each, and its table of functions. */
async function inSpeedscope(page, file) {
  const script = join(cwd, 'load.js');
  const base64 = readFileSync(file).toString('base64');
  // As the command line of speedscope hands it a file.
  writeFileSync(script, `speedscope.loadFileFromBase64('profile.json', '${base64}');`);
  const index = new URL('../../node_modules/speedscope/dist/release/index.html', import.meta.url);
  index.hash = `localProfilePath=${encodeURIComponent(script)}&view=sandwich`;
  await page.goto(index.href);
  const table = async () => {
    await page.waitForFunction(() =>
      [...document.querySelectorAll('th, td')].some((cell) => cell.textContent === 'Symbol Name'),
    );
    return page.evaluate(() =>
      [...document.querySelectorAll('tr')]
        .map((row) => [...row.cells].map((cell) => cell.textContent))
        .filter((cells) => /%\)$/.test(cells[0])),
    );
  };
  // The innermost element with `main: time (1/4)`; a file of one profile has no numbers.
  const title = () =>
    page.evaluate(() => {
      const texts = [...document.querySelectorAll('div, span')].map((node) => node.textContent);
      const titles = texts.map((text) => /^(.+) \((\d+)\/(\d+)\)$/.exec(text));
      return titles.findLast((match) => match !== null)?.slice(1);
    });
  const profiles = {};
  for (let at = 1; ; at++) {
    const rows = await table();
    const [name, number, count] = (await title()) ?? ['main: calls', '1', '1'];
    assert.equal(Number(number), at);
    const value = (text) => Number(text.replace(/(ns)? \(.*$/s, '').replaceAll(',', ''));
    profiles[name] = Object.fromEntries(
      rows.map(([total, self, symbol]) => [
        symbol.trim(),
        { self: value(self.trim()), total: value(total.trim()) },
      ]),
    );
    if (number === count) return profiles;
    await page.keyboard.press('n');
    await page.waitForFunction((next) => document.body.textContent.includes(`(${next}/`), at + 1);
  }
}

test('speedscope shows calls and time of every function of every thread', async () => {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const wall = await inSpeedscope(page, converted('wall', 'speedscope'));
    const of = (weight, thread) => figuresOf('wall', weight, thread);
    const dropped = { '(dropped paths)': { self: 0, total: 9 } };
    assert.deepEqual(wall, {
      'main: time': of('self', 'main'),
      'main: calls': { ...of('calls', 'main'), ...dropped },
      'worker 2: time': of('self', 'worker 2'),
      'worker 2: calls': of('calls', 'worker 2'),
    });
    await page.goto('about:blank');
    const calls = await inSpeedscope(page, converted('calls', 'speedscope'));
    assert.deepEqual(calls, { 'main: calls': figuresOf('calls', 'calls') });
  } finally {
    await browser.close();
  }
});

/** Own and inclusive milliseconds of each function, as DevTools' Performance panel has them. */
const DEVTOOLS_FIGURES = async (profile) => {
  const { CPUProfileDataModel } = await import('./models/cpu_profile/cpu_profile.js');
  const model = new CPUProfileDataModel.CPUProfileDataModel(profile);
  const figures = {};
  const visit = (node, path) => {
    figures[node.functionName] ??= { self: 0, total: 0 };
    const of = figures[node.functionName];
    of.self += node.self;
    if (!path.includes(node.functionName)) of.total += node.total;
    for (const child of node.children) visit(child, [...path, node.functionName]);
  };
  visit(model.profileHead, []);
  return { figures, whole: model.profileHead.total };
};

test('Chrome DevTools reads CPU profiles with the same times', async () => {
  const server = await serve({ '/': { body: '<!doctype html><title>x</title>' } });
  const chrome = await openPanel(`${server.origin}/`);
  try {
    for (const [profile, weight, msEach] of [
      ['wall', 'self', 1e-6],
      ['calls', 'calls', 1e-3],
    ]) {
      const file = readFileSync(converted(profile, 'cpuprofile'), 'utf8');
      const { figures, whole } = await chrome.devtools.evaluate(`(${DEVTOOLS_FIGURES})(${file})`);
      const expected = figuresOf(profile, weight);
      const sum = Object.values(expected).reduce((all, { self }) => all + self, 0);
      assert.ok(sum > 0);
      const near = (ms, value, what) =>
        assert.ok(
          Math.abs(ms / msEach - value) < 0.01,
          `${profile}: ${what}: ${ms / msEach} of ${value}`,
        );
      near(whole, sum, 'the whole');
      for (const [name, { self, total }] of Object.entries(expected)) {
        near(figures[name]?.self, self, `own time of ${name}`);
        near(figures[name]?.total, total, `inclusive time of ${name}`);
      }
    }
  } finally {
    await chrome.close();
    await server.close();
  }
});

/** Events of each function, as callgrind_annotate prints them. */
function annotated(file, inclusive) {
  const args = [`--inclusive=${inclusive}`, '--threshold=100', '--auto=no', '--show-percs=no'];
  const run = spawnSync('callgrind_annotate', [...args, file], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const functions = {};
  const [, events] = /^Events shown: +(.+)$/m.exec(run.stdout);
  const names = events.trim().split(' ');
  const table = run.stdout.slice(run.stdout.lastIndexOf('file:function'));
  for (const line of table.split('\n').slice(2)) {
    const match = /^((?: *[\d,.]+){1,2}) {2}[^:]+:(.+) \[.*\]$/.exec(line);
    if (!match) break;
    const values = match[1].trim().split(/ +/);
    functions[match[2]] = Object.fromEntries(
      names.map((name, at) => [name, Number(values[at].replaceAll(',', '').replace(/^\.$/, '0'))]),
    );
  }
  return functions;
}

test('callgrind_annotate prints the own and the inclusive figures', () => {
  for (const profile of ['wall', 'calls']) {
    const file = converted(profile, 'callgrind');
    const [own, inclusive] = [annotated(file, 'no'), annotated(file, 'yes')];
    for (const [event, weight] of profile === 'wall'
      ? [
          ['Ns', 'self'],
          ['Calls', 'calls'],
        ]
      : [['Calls', 'calls']]) {
      for (const [name, { self, total }] of Object.entries(figuresOf(profile, weight))) {
        assert.equal(own[name]?.[event], self, `${profile}: own ${event} of ${name}`);
        assert.equal(inclusive[name]?.[event], total, `${profile}: inclusive ${event} of ${name}`);
      }
    }
  }
});

test('pprof-format reads two sample types with the same sums', () => {
  for (const profile of ['wall', 'calls']) {
    const file = Pprof.decode(gunzipSync(readFileSync(converted(profile, 'pprof'))));
    const text = (index) => file.stringTable.strings[Number(index)];
    const types = file.sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`);
    assert.deepEqual(
      types,
      profile === 'wall' ? ['calls/count', 'wall/nanoseconds'] : ['calls/count'],
    );
    const names = new Map(file.function.map(({ id, name }) => [id, text(name)]));
    const functionOf = new Map(file.location.map(({ id, line }) => [id, line[0].functionId]));
    for (const [at, weight] of ['calls', 'self'].slice(0, types.length).entries()) {
      const figures = {};
      for (const name of names.values()) figures[name] = { self: 0, total: 0 };
      for (const { locationId, value } of file.sample) {
        const path = locationId.map((id) => names.get(functionOf.get(id)));
        figures[path[0]].self += Number(value[at]);
        for (const name of new Set(path)) figures[name].total += Number(value[at]);
      }
      for (const [name, expected] of Object.entries(figuresOf(profile, weight))) {
        assert.deepEqual(figures[name], expected, `${types[at]} of ${name}`);
      }
    }
  }
});
