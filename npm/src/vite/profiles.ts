import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mapPath } from '../core/profile-paths.js';
import '../node/packaged.js';
import { ProfileError } from '../errors.js';
import { Profile } from '../profile.js';

/** What a page hands over; see `report.ts`. */
export interface Handover {
  /** Tells one load of a page from another. */
  readonly id: string;
  /** Path of the page's address. */
  readonly page: string;
  /** The page is gone: this is the last. */
  readonly left: boolean;
  /** Null: nothing new. */
  readonly parts: readonly { readonly blocks: Uint8Array; readonly map: string }[] | null;
}

/** Reads a request's body. @throws ProfileError */
export function parseHandover(text: string): Handover {
  const broken = new ProfileError('This is not what a page hands over.');
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw broken;
  }
  const { id, page, left, parts } = value ?? {};
  if (typeof id !== 'string' || typeof page !== 'string') throw broken;
  if (parts !== null && !Array.isArray(parts)) throw broken;
  const read = parts?.map((part: Record<string, unknown> | null) => {
    const { blocks, map } = part ?? {};
    if (typeof blocks !== 'string' || typeof map !== 'string') throw broken;
    return { blocks: Buffer.from(blocks, 'base64'), map };
  });
  return { id, page, left: left === true, parts: read ?? null };
}

/** Keeps the profile of each page in files, `<page>.xray` and `<page>.map.json`. */
export class PageProfiles {
  readonly #folder: string;
  /** Names of the files, by load; of loads that are not over. */
  readonly #names = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Replaces what a page handed over before. A page that is loaded again replaces
   * its profile; one that is open twice has two.
   * @returns the file, the first time that a load has one
   * @throws ProfileError, or whatever the file system says
   */
  take({ id, page, left, parts }: Handover): string | undefined {
    const known = this.#names.get(id);
    const name = known ?? this.#freeName(page);
    const isFirst = known === undefined && parts !== null;
    if (parts) this.#write(name, Profile.merge(parts));
    if (left) this.#names.delete(id);
    else this.#names.set(id, name);
    return isFirst ? this.#path(name) : undefined;
  }

  #write(name: string, profile: Profile): void {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, '.gitignore'), '*\n');
    const path = this.#path(name);
    writeFileSync(`${path}.new`, profile.blocks());
    writeFileSync(mapPath(path), profile.map());
    renameSync(`${path}.new`, path);
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.xray`);
  }

  #freeName(page: string): string {
    const words = page.replace(/\.html?$/, '').match(/[\w-]+/g) ?? ['index'];
    const name = words.join('-').slice(0, 80);
    const taken = new Set(this.#names.values());
    if (!taken.has(name)) return name;
    for (let count = 2; ; count++) if (!taken.has(`${name}-${count}`)) return `${name}-${count}`;
  }
}
