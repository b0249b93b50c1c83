import type { Settings } from '../core/options.js';
import type { ProfileMap } from '../core/profile-map.js';
import { messageOf } from '../errors.js';
import { complain } from '../hook/messages.js';
import { writeBlocks, writeMarker } from '../hook/parts.js';
import { pageHook } from '../node/page-hook.js';
import { findDriver, startDriver } from '../webdriver/driver.js';
import { DriverProxy } from '../webdriver/proxy.js';

/** Pages are processes in a profile, with ids beyond those of an operating system. */
const FIRST_PAGE = 2 ** 32;

/** Chrome's WebDriver for a command, with the hook in every page. */
export interface ChromeProxy {
  /** What the command needs in its environment. */
  readonly env: NodeJS.ProcessEnv;
  /** To be awaited when the command has ended: what is still open is taken. */
  close(): Promise<void>;
}

/**
 * Gets ready for a command that tests pages in Chrome through WebDriver, such as
 * `wasm-pack test --headless --chrome`.
 * @param args of the command, which may name a driver
 * @param parts directory for what the pages record
 * @throws FileError if there is no driver
 */
export async function proxyChrome(
  args: readonly string[],
  settings: Settings,
  parts: string,
): Promise<ChromeProxy> {
  const place = findDriver(args, process.env);
  let pages = 0;
  const pageOf = new Map<string, number>();
  const mark = (page: number, threadId: number, thread: string) => {
    const key = { pid: FIRST_PAGE + page, threadId };
    writeMarker(parts, { ...key, startedMs: Date.now(), program: 'Chrome', thread });
    return key;
  };
  const proxy = new DriverProxy(() => startDriver(place, process.env), pageHook(settings), {
    page({ document, parts: recorded }) {
      // A document's counts only grow: what it hands over later takes the place of what it did before.
      const page = pageOf.get(document) ?? ++pages;
      pageOf.set(document, page);
      for (const [index, { name, blocks, map }] of recorded.entries()) {
        try {
          writeBlocks(parts, mark(page, index, name), JSON.parse(map) as ProfileMap, [blocks]);
        } catch (error) {
          complain(`A page's part of the profile could not be written: ${messageOf(error)}`);
        }
      }
    },
    lost(reason) {
      mark(++pages, 0, 'main');
      complain(`A page of Chrome left no profile. ${reason}`);
    },
  });
  const address = await proxy.listen();
  return { env: { CHROMEDRIVER_REMOTE: address }, close: () => proxy.close() };
}
