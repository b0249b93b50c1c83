import { isObject } from '../core/bytes.js';
import type { Prepared, Session } from '../core/session.js';
import { toolkit } from '../core/toolkit.js';
import { messageOf, XrayError } from '../errors.js';
import { OWN_REALM, type Realm } from './realm.js';

type Bytes = Uint8Array<ArrayBuffer>;
type Options = readonly unknown[];

/** Bytes to compile, and why they are the original ones if they should not be. */
interface Attempt {
  readonly prepared: Prepared | undefined;
  readonly reason: string | undefined;
}

/**
 * Loads modules with probes for a program that does not know of them. Whatever
 * fails, the engine gets the program's own bytes, and so its own say.
 */
export class Loader {
  readonly #session: Session;
  readonly #realm: Realm;

  /** @param realm of the program, as it sees what is loaded */
  constructor(session: Session, realm: Realm = OWN_REALM) {
    this.#session = session;
    this.#realm = realm;
  }

  /**
   * `new WebAssembly.Module`.
   * @param construct compiles with the engine
   */
  compileSync(
    bytes: Bytes,
    options: Options,
    name: string | undefined,
    construct: (bytes: Bytes) => WebAssembly.Module,
  ): WebAssembly.Module {
    let { prepared, reason } = this.#prepare(bytes, options, name);
    if (prepared) {
      try {
        const module = construct(prepared.bytes);
        this.#session.adopt(module, prepared);
        return module;
      } catch (error) {
        reason = refusal(error);
      }
    }
    const module = construct(bytes);
    this.#noteSkipped(bytes, name, reason);
    return module;
  }

  /**
   * `WebAssembly.compile` and `compileStreaming`.
   * @param plain compiles the original bytes
   */
  async compile(
    bytes: Bytes,
    options: Options,
    name: string | undefined,
    plain: () => Promise<WebAssembly.Module>,
  ): Promise<WebAssembly.Module> {
    const attempt = await this.#compileInstrumented(bytes, options, name);
    if ('module' in attempt) return attempt.module;
    const module = await plain();
    this.#noteSkipped(bytes, name, attempt.reason);
    return module;
  }

  /** `new WebAssembly.Instance`. */
  instantiateSync(
    module: WebAssembly.Module,
    imports: unknown,
    construct: (module: WebAssembly.Module, imports: unknown) => WebAssembly.Instance,
  ): WebAssembly.Instance {
    const link = this.#session.link(module, imports, this.#realm.natives);
    try {
      const instance = construct(link.module, link.imports);
      this.#session.linked(link);
      return instance;
    } catch (error) {
      const plain = this.#session.recover(link, error);
      if (!plain) throw error;
      return construct(plain.module, plain.imports);
    }
  }

  /** `WebAssembly.instantiate` of a module. */
  async instantiateModule(
    module: WebAssembly.Module,
    imports: unknown,
    options: Options = [],
  ): Promise<unknown> {
    const { natives } = this.#realm;
    const link = this.#session.link(module, imports, natives);
    if (this.#session.sampler) await this.#session.ready();
    try {
      const instance = await natives.instantiate(link.module, link.imports, ...options);
      this.#session.linked(link);
      return instance;
    } catch (error) {
      const plain = this.#session.recover(link, error);
      if (!plain) throw error;
      return natives.instantiate(plain.module, plain.imports, ...options);
    }
  }

  /**
   * `WebAssembly.instantiate` of bytes and `instantiateStreaming`.
   * @param plain instantiates the original bytes
   */
  async instantiateBytes(
    bytes: Bytes,
    imports: unknown,
    options: Options,
    name: string | undefined,
    plain: () => Promise<unknown>,
  ): Promise<unknown> {
    if (imports !== undefined && !isObject(imports)) return plain();
    const attempt = await this.#compileInstrumented(bytes, options, name);
    let module: WebAssembly.Module | undefined;
    if ('module' in attempt) module = attempt.module;
    else if (this.#session.runtime) {
      // Its imports may lead back into instrumented modules.
      module = await this.#compilePlain(bytes, options);
    }
    const result = module
      ? this.#realm.object({ module, instance: await this.instantiateModule(module, imports) })
      : await plain();
    if (!('module' in attempt)) this.#noteSkipped(bytes, name, attempt.reason);
    return result;
  }

  async #compilePlain(bytes: Bytes, options: Options): Promise<WebAssembly.Module | undefined> {
    try {
      return await this.#realm.natives.compile(bytes, ...options);
    } catch {
      return undefined;
    }
  }

  async #compileInstrumented(
    bytes: Bytes,
    options: Options,
    name: string | undefined,
  ): Promise<{ module: WebAssembly.Module } | { reason: string | undefined }> {
    const { prepared, reason } = this.#prepare(bytes, options, name);
    if (!prepared) return { reason };
    try {
      const module = await this.#realm.natives.compile(prepared.bytes, ...options);
      this.#session.adopt(module, prepared);
      // A program may go on to make an instance at once.
      if (this.#session.sampler) await this.#session.ready();
      return { module };
    } catch (error) {
      return { reason: refusal(error) };
    }
  }

  #prepare(bytes: Bytes, options: Options, name?: string): Attempt {
    try {
      return { prepared: this.#session.prepare(bytes, options, name), reason: undefined };
    } catch (error) {
      return { prepared: undefined, reason: messageOf(error) };
    }
  }

  /** To be called once the engine has taken the original bytes: they are a module. */
  #noteSkipped(bytes: Bytes, name: string | undefined, reason: string | undefined): void {
    if (reason === undefined) return;
    const hash = shortHash(bytes);
    const fallback = hash === undefined ? 'a module' : `wasm-${hash}`;
    this.#session.skip(name && hash ? `${name} (${hash})` : (name ?? fallback), reason);
  }
}

/** Undefined if the toolkit is not there. */
function shortHash(bytes: Bytes): string | undefined {
  try {
    return toolkit().moduleHash(bytes).slice(0, 8);
  } catch {
    return undefined;
  }
}

/** Why a module does not run with probes, though it could be given some. */
function refusal(error: unknown): string {
  if (error instanceof XrayError) return error.message;
  const message = messageOf(error).replace(/^WebAssembly\.\w+\(\): /, '');
  return `This engine does not take it with probes: ${message}`;
}
