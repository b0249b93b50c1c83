import { PROBE_MODULE } from '../core/abi.js';
import { copyBytes } from '../core/bytes.js';
import type { Natives } from '../core/natives.js';
import type { Session } from '../core/session.js';
import { callerName } from './caller.js';
import type { Loader } from './loader.js';
import type { Handlers } from './patch.js';
import { OWN_REALM, type Realm } from './realm.js';
import { compileStreaming, instantiateStreaming } from './streaming.js';

/** The loader in the form in which programs use it: as the functions of `WebAssembly`, in the loader's realm. */
export function handlersOf(
  session: Session,
  loader: Loader,
  { natives, promise }: Realm = OWN_REALM,
): Handlers {
  return {
    Module(args, construct) {
      const [source, ...options] = args;
      const bytes = copyBytes(source);
      if (!bytes) return construct(args);
      return loader.compileSync(
        bytes,
        options,
        callerName(bytes, source),
        (bytes) => construct([bytes, ...options]) as WebAssembly.Module,
      );
    },

    Instance(args, construct) {
      const [module, imports, ...rest] = args;
      return loader.instantiateSync(
        module as WebAssembly.Module,
        imports,
        (module, imports) => construct([module, imports, ...rest]) as WebAssembly.Instance,
      );
    },

    // A function that suspends its caller hides in an object by the time it is
    // imported, so it is wrapped beforehand.
    Suspending: ([f, ...rest], construct) => construct([session.wrapImport(f), ...rest]),

    compile(args, native) {
      const [source, ...options] = args;
      const bytes = copyBytes(source);
      if (!bytes) return native(args);
      return promise(
        loader.compile(bytes, options, callerName(bytes, source), () =>
          natives.compile(bytes, ...options),
        ),
      );
    },

    instantiate(args, native) {
      const [source, imports, ...options] = args;
      const bytes = copyBytes(source);
      if (bytes) {
        return promise(
          loader.instantiateBytes(bytes, imports, options, callerName(bytes, source), () =>
            natives.instantiate(bytes, imports, ...options),
          ),
        );
      }
      if (!isModule(source, natives)) return native(args);
      return promise(loader.instantiateModule(source, imports, options));
    },

    compileStreaming: ([source, ...options]) =>
      promise(compileStreaming(loader, natives, source, options)),

    instantiateStreaming: ([source, imports, ...options]) =>
      promise(instantiateStreaming(loader, natives, source, imports, options)),

    // The arrays are new ones of the program's realm.
    imports(args, native) {
      const imports = native(args) as { module: string }[];
      if (session.isInstrumented(args[0])) keepOnly(imports, (i) => i.module !== PROBE_MODULE);
      return imports;
    },

    customSections(args, native) {
      const sections = native(args) as unknown[];
      if (args[1] === PROBE_MODULE && session.isInstrumented(args[0])) sections.length = 0;
      return sections;
    },
  };
}

function keepOnly<T>(array: T[], isWanted: (element: T) => boolean): void {
  let kept = 0;
  for (const element of array) if (isWanted(element)) array[kept++] = element;
  array.length = kept;
}

function isModule(value: unknown, natives: Natives): value is WebAssembly.Module {
  try {
    natives.customSections(value, '');
    return true;
  } catch {
    return false;
  }
}
