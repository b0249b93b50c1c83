import { PROBE_MODULE, TWIN } from './abi.js';
import { isObject } from './bytes.js';
import { type ImportDescriptor, type ImportObject, natives } from './natives.js';

/** An import as the program's object gave it. */
interface ReadImport {
  readonly descriptor: ImportDescriptor;
  readonly value: unknown;
}

/** What a module asks its importer for, without what the rewriter added. */
export function ownImports(module: WebAssembly.Module): ImportDescriptor[] {
  return natives.imports(module).filter((i) => i.module !== PROBE_MODULE);
}

/** A function that the module imports once more, for tables, references and exports. */
export interface Twin {
  /** Name of the second import, from {@link PROBE_MODULE}. */
  readonly name: string;
  /** Place of the first among what {@link ownImports} gives. */
  readonly place: number;
  /** Function index in the original module. */
  readonly index: number;
}

/** Functions that an instrumented module imports twice. */
export function twinsOf(module: WebAssembly.Module, own: readonly ImportDescriptor[]): Twin[] {
  const names = natives
    .imports(module)
    .filter((i) => i.module === PROBE_MODULE && i.name.startsWith(TWIN))
    .map((i) => i.name);
  if (names.length === 0) return [];
  const places = new Map<string, number[]>();
  for (const [place, { module, name, kind }] of own.entries()) {
    if (kind !== 'function') continue;
    const key = JSON.stringify([module, name]);
    places.set(key, [...(places.get(key) ?? []), place]);
  }
  return names.map((text) => {
    const [module, name, before, index] = JSON.parse(text) as [string, string, number, number];
    // `own` holds what the engine does not provide itself; of that nothing has a twin.
    const place = places.get(JSON.stringify([module, name]))?.[before] ?? -1;
    return { name: text, place, index };
  });
}

/** An import object read once, in the order in which an engine reads it. */
export interface ReadImports {
  readonly values: readonly ReadImport[];
  /** A module of the import object that is not an object; the engine stops there. */
  readonly broken: { readonly module: string; readonly value: unknown } | undefined;
}

/**
 * Reads an import object as `WebAssembly.Instance` does: for each import the
 * module's object, then the value. Getters and proxies see nothing unusual;
 * what they throw is passed on.
 */
export function readImports(wanted: readonly ImportDescriptor[], imports: object): ReadImports {
  const values: ReadImport[] = [];
  for (const descriptor of wanted) {
    const namespace: unknown = Reflect.get(imports, descriptor.module);
    if (!isObject(namespace)) {
      return { values, broken: { module: descriptor.module, value: namespace } };
    }
    values.push({ descriptor, value: Reflect.get(namespace, descriptor.name) });
  }
  return { values, broken: undefined };
}

/**
 * Makes the object to instantiate with.
 * @param wrap replaces an imported function
 * @param probes what the module imports from `wasm-xray`, if it is instrumented
 */
export function importObject(
  read: ReadImports,
  wrap: (value: unknown) => unknown,
  probes: ImportObject | undefined,
): ImportObject {
  const result: Record<string, unknown> = Object.create(null);
  const namespaces = new Map<string, Namespace>();
  for (const { descriptor, value } of read.values) {
    let namespace = namespaces.get(descriptor.module);
    if (!namespace) {
      namespace = new Namespace();
      namespaces.set(descriptor.module, namespace);
      result[descriptor.module] = namespace.object;
    }
    namespace.add(descriptor.name, descriptor.kind === 'function' ? wrap(value) : value);
  }
  if (read.broken) result[read.broken.module] = read.broken.value;
  if (probes) result[PROBE_MODULE] = probes;
  return result;
}

/** One module of an import object. */
class Namespace {
  readonly object: Record<string, unknown> = Object.create(null);
  readonly #values = new Map<string, unknown[]>();

  add(name: string, value: unknown): void {
    const values = this.#values.get(name);
    if (!values) {
      this.#values.set(name, [value]);
      this.object[name] = value;
      return;
    }
    // A module may import one name twice, with two types, and a getter may have
    // answered with two values: hand them out in the same order.
    values.push(value);
    if (values.length === 2) {
      Object.defineProperty(this.object, name, {
        get: () => (values.length > 1 ? values.shift() : values[0]),
      });
    }
  }
}
