// The WebDriver between a test runner and Chrome's, with a driver that plays Chrome.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { proxyChrome } from '../../npm/dist/cli/chrome.js';
import { settingsFrom } from '../../npm/dist/core/options.js';
import { listParts } from '../../npm/dist/hook/parts.js';
import { findDriver, startDriver } from '../../npm/dist/webdriver/driver.js';
import { DriverProxy } from '../../npm/dist/webdriver/proxy.js';
import { runCli } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasm-xray-webdriver-'));
after(() => rmSync(folder, { recursive: true }));

/** What a page with wasm hands over, in chunks of ten characters. */
const PARTS = JSON.stringify([
  {
    name: 'main',
    blocks: Buffer.from('blocks').toString('base64'),
    map: JSON.stringify({ modules: [{}], skipped: [] }),
  },
]);

/** What a driver answers that has hung up. */
const NEVER = Symbol('never');

/**
 * A driver whose answers are by `METHOD /path`, without the session.
 * @param {Record<string, (parameters: any) => {status?: number, value?: unknown, headers?: object}>} answers
 */
async function playDriver(answers) {
  const seen = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const command = `${request.method} ${request.url.replace(/^\/session\/s1\//, '')}`;
    seen.push(command);
    const answer = answers[command]?.(text && JSON.parse(text)) ?? { value: null };
    if (answer === NEVER) return;
    response.writeHead(answer.status ?? 200, answer.headers);
    response.end(answer.text ?? JSON.stringify({ value: answer.value }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${server.address().port}`);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, seen, close };
}

const commandTo = (address) => async (method, path, body) => {
  const response = await fetch(address + path, { method, body: body && JSON.stringify(body) });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** A proxy in front of such a driver. */
async function proxied(answers, limits) {
  const { url, seen, close } = await playDriver(answers);
  const pages = [];
  const lost = [];
  let stopped = 0;
  const sink = {
    page: (record) => pages.push(record),
    lost: (reason) => lost.push(reason),
  };
  const start = async () => ({ url, stop: () => stopped++ });
  const proxy = new DriverProxy(start, 'the script', sink, limits);
  const address = await proxy.listen();
  const command = commandTo(address);
  const end = async () => {
    await proxy.close();
    close();
    return { seen, pages, lost, stopped };
  };
  return { address, command, end };
}

const session = { 'POST /session': () => ({ value: { sessionId: 's1' } }) };
const page = {
  'POST execute/async': () => ({ value: { document: 'd1', length: PARTS.length } }),
  'POST execute/sync': ({ args: [index] }) => ({
    value: PARTS.slice(index * 10, (index + 1) * 10),
  }),
};

test('a page runs the script first, and hands over what it has before it is left', async () => {
  const scripts = [];
  const { command, end } = await proxied({
    ...session,
    ...page,
    'POST goog/cdp/execute': ({ cmd, params }) => {
      scripts.push([cmd, params.source]);
      return { value: {} };
    },
    'DELETE window': () => ({ value: [] }),
  });
  await command('POST', '/session', { capabilities: {} });
  await command('POST', '/session/s1/url', { url: 'http://localhost/' });
  await command('POST', '/session/s1/element', {});
  await command('DELETE', '/session/s1/window');
  const { seen, pages, lost, stopped } = await end();
  assert.deepEqual(scripts, [['Page.addScriptToEvaluateOnNewDocument', 'the script']]);
  const chunks = Array(Math.ceil(PARTS.length / 10)).fill('POST execute/sync');
  const taken = ['POST execute/async', ...chunks];
  assert.deepEqual(seen, [
    'POST /session',
    'POST goog/cdp/execute',
    ...taken,
    'POST url',
    'POST element',
    ...taken,
    'DELETE window',
  ]);
  const { document, parts } = pages[1];
  const [part] = parts;
  assert.deepEqual([pages.length, document], [2, 'd1']);
  assert.deepEqual([part.name, String(part.blocks)], ['main', 'blocks']);
  assert.deepEqual([lost, stopped], [[], 1]);
});

test('a document that stays when its page is left is one page, as it was last', async () => {
  const documents = ['d1', 'd1', 'd2', 'd1'];
  const { url, close } = await playDriver({
    ...session,
    ...page,
    'POST execute/async': () => ({
      value: { document: documents.shift(), length: PARTS.length },
    }),
  });
  const directory = join(folder, 'parts');
  mkdirSync(directory);
  process.env.CHROMEDRIVER_REMOTE = url.href;
  const chrome = await proxyChrome([], settingsFrom({}), directory);
  delete process.env.CHROMEDRIVER_REMOTE;
  const command = commandTo(chrome.env.CHROMEDRIVER_REMOTE);
  await command('POST', '/session', {});
  await command('POST', '/session/s1/url', { url: 'http://localhost/#there' });
  await command('POST', '/session/s1/url', { url: 'http://localhost/other' });
  await command('POST', '/session/s1/back', {});
  await command('DELETE', '/session/s1');
  await chrome.close();
  close();
  const pages = listParts(directory).map(({ pid, kind }) => [pid - 2 ** 32, kind]);
  assert.deepEqual(pages.sort(), [
    [1, 'final'],
    [2, 'final'],
  ]);
});

test('a session with another window goes on when one is closed', async () => {
  const handles = [['w2'], []];
  const { command, end } = await proxied({
    ...session,
    ...page,
    'DELETE window': () => ({ value: handles.shift() }),
  });
  await command('POST', '/session', {});
  await command('DELETE', '/session/s1/window');
  await command('POST', '/session/s1/window', { handle: 'w2' });
  await command('DELETE', '/session/s1/window');
  const { seen, lost } = await end();
  assert.equal(seen.filter((one) => one === 'POST execute/async').length, 2);
  assert.deepEqual([seen.at(-1), lost], ['DELETE window', []]);
});

test('answers pass through as they are', async () => {
  const { command, end } = await proxied({
    'GET /status': () => ({ status: 404, headers: { 'x-own': 'yes' }, text: 'ü not JSON' }),
  });
  const answer = await command('GET', '/status');
  assert.deepEqual(
    [answer.status, answer.headers.get('x-own'), answer.text],
    [404, 'yes', 'ü not JSON'],
  );
  const { pages, lost } = await end();
  assert.deepEqual([pages, lost], [[], []]);
});

test('a request for another host is refused, and the driver does not see it', async () => {
  const { address, end } = await proxied({});
  const { port } = new URL(address);
  const statusFor = (host) =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${address}/session`,
        { method: 'POST', headers: { host } },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      sent.on('error', reject);
      sent.end('{}');
    });
  const hosts = [`evil.test:${port}`, '127.0.0.1:1', 'localhost', `localhost:${port}.evil.test`];
  for (const host of hosts) assert.equal(await statusFor(host), 403, host);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`]) {
    assert.equal(await statusFor(host), 200, host);
  }
  const { seen } = await end();
  assert.deepEqual(seen, ['POST /session', 'POST /session']);
});

test('a session in the old protocol that nobody ends is taken in the end', async () => {
  const { command, end } = await proxied({
    'POST /session': () => ({ text: '{"sessionId":"s1","status":0,"value":{}}' }),
    ...page,
  });
  await command('POST', '/session', {});
  const { pages, lost } = await end();
  assert.deepEqual([pages.length, lost], [1, []]);
});

test('pages without wasm, and without the hook, are no pages of a profile', async () => {
  const map = JSON.stringify({ modules: [], skipped: [] });
  const none = JSON.stringify([{ name: 'main', blocks: '', map }]);
  const answers = [{ document: 'd1', length: none.length }, null];
  const { command, end } = await proxied({
    ...session,
    'POST execute/async': () => ({ value: answers.shift() }),
    'POST execute/sync': () => ({ value: none }),
  });
  await command('POST', '/session', {});
  await command('POST', '/session/s1/refresh', {});
  await command('DELETE', '/session/s1');
  const { pages, lost } = await end();
  assert.deepEqual([pages, lost], [[], []]);
});

test('a page that does not answer is told of, and left all the same', async () => {
  const { command, end } = await proxied({
    ...session,
    'POST execute/async': () => ({ status: 500, value: { message: 'tab crashed\n  stack' } }),
    'DELETE window': () => ({ value: [] }),
  });
  await command('POST', '/session', {});
  const left = await command('DELETE', '/session/s1/window');
  assert.deepEqual([left.status, left.text], [200, '{"value":[]}']);
  const { lost } = await end();
  assert.deepEqual(lost, ["Chrome's driver refused execute/async: tab crashed"]);
});

test('a page that the driver does not answer for is told of, and left all the same', async () => {
  const { command, end } = await proxied(
    { ...session, 'POST execute/async': () => NEVER, 'DELETE window': () => ({ value: [] }) },
    { commandMs: 50, closeMs: 60_000 },
  );
  await command('POST', '/session', {});
  const left = await command('DELETE', '/session/s1/window');
  assert.deepEqual([left.status, left.text], [200, '{"value":[]}']);
  const { lost, stopped } = await end();
  assert.deepEqual(lost, ["Chrome's driver did not answer execute/async in 0.05 s."]);
  assert.equal(stopped, 1);
});

test('a driver that answers nothing any more is ended with the command', async () => {
  const limits = { commandMs: 60_000, closeMs: 50 };
  const { command, end } = await proxied(
    { ...session, 'POST url': () => NEVER, 'POST execute/async': () => NEVER },
    limits,
  );
  await command('POST', '/session', {});
  const given = command('POST', '/session/s1/url', { url: 'http://127.0.0.1/' }).catch(() => {});
  const { lost, stopped } = await end();
  await given;
  assert.ok(lost.length > 0);
  for (const reason of lost) {
    assert.equal(reason, "Chrome's driver did not answer what was left to do in 0.05 s.");
  }
  assert.equal(stopped, 1);
});

test('a command that nobody waits for any more holds nothing up', async () => {
  const { address, command, end } = await proxied(
    { ...session, 'POST url': () => NEVER },
    { commandMs: 60_000, closeMs: 60_000 },
  );
  await command('POST', '/session', {});
  const killed = request(`${address}/session/s1/url`, { method: 'POST' });
  const died = new Promise((resolve) => killed.on('error', resolve));
  killed.end('{}');
  setTimeout(() => killed.destroy(), 100);
  await died;
  const { stopped } = await end();
  assert.equal(stopped, 1);
});

test('a driver that names no port is given up', async () => {
  const program = join(folder, 'silent');
  writeFileSync(program, '#!/bin/sh\necho hello\nexec sleep 600\n');
  chmodSync(program, 0o755);
  await assert.rejects(
    () => startDriver({ file: program }, {}, 200),
    /silent does not start: it named no port in 0.2 s/,
  );
});

test('a driver that does not start is an answer', async () => {
  const program = join(folder, 'broken');
  writeFileSync(program, '#!/bin/sh\necho this is no driver\nexit 3\n');
  chmodSync(program, 0o755);
  const start = () => startDriver({ file: program }, {});
  await assert.rejects(
    start,
    /broken does not start: it ended with exit code 3. this is no driver/,
  );
  const proxy = new DriverProxy(start, '', { page: assert.fail, lost: assert.fail });
  const address = await proxy.listen();
  const response = await fetch(`${address}/session`, { method: 'POST', body: '{}' });
  assert.equal(response.status, 500);
  assert.match((await response.json()).value.message, /does not start/);
  await proxy.close();
});

test('the driver is the one that the command names, else that of the environment', () => {
  const program = join(folder, 'chromedriver');
  writeFileSync(program, '');
  chmodSync(program, 0o755);
  const other = { file: process.execPath };
  const PATH = `/nowhere:${folder}`;
  const wasmPack = ['test', '--chromedriver', process.execPath];
  assert.deepEqual(findDriver(wasmPack, { PATH, CHROMEDRIVER: program }), other);
  assert.deepEqual(findDriver([`--chromedriver=${process.execPath}`], { PATH }), other);
  assert.deepEqual(findDriver(['test'], { PATH, CHROMEDRIVER: process.execPath }), other);
  assert.deepEqual(findDriver(['test'], { PATH }), { file: program });
  const url = 'http://127.0.0.1:9/';
  assert.equal(findDriver(wasmPack, { CHROMEDRIVER_REMOTE: url }).url.href, url);
  assert.throws(() => findDriver([], { PATH: '/nowhere' }), /no chromedriver on PATH/);
  assert.throws(() => findDriver(['--chromedriver', folder], {}), /is not a program/);
  assert.throws(() => findDriver([], { CHROMEDRIVER_REMOTE: 'here' }), /address of a driver/);
});

test('without a driver the command is not started', () => {
  const started = join(folder, 'started');
  const run = runCli(
    ['exec', '--chrome', '--', process.execPath, '-e', `fs.writeFileSync('${started}', '')`],
    { PATH: '/nowhere', CHROMEDRIVER: '', CHROMEDRIVER_REMOTE: '' },
    { cwd: folder },
  );
  assert.equal(run.status, 1);
  assert.match(run.stderr, /^error: There is no chromedriver on PATH\. Install the one/);
  assert.throws(() => rmSync(started));
});
