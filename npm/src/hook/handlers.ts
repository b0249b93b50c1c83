import { PROBE_MODULE } from '../core/abi.js';
import { copyBytes } from '../core/bytes.js';
import { natives } from '../core/natives.js';
import type { Session } from '../core/session.js';
import { callerName } from './caller.js';
import type { Loader } from './loader.js';
import type { Handlers } from './patch.js';
import { compileStreaming, instantiateStreaming } from './streaming.js';

/** The loader in the form in which programs use it: as the functions of `WebAssembly`. */
export function handlersOf(session: Session, loader: Loader): Handlers {
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
      return loader.compile(bytes, options, callerName(bytes, source), () =>
        natives.compile(bytes, ...options),
      );
    },

    instantiate(args, native) {
      const [source, imports, ...options] = args;
      const bytes = copyBytes(source);
      if (bytes) {
        return loader.instantiateBytes(bytes, imports, options, callerName(bytes, source), () =>
          natives.instantiate(bytes, imports, ...options),
        );
      }
      if (!isModule(source)) return native(args);
      return loader.instantiateModule(source, imports, options);
    },

    compileStreaming: ([source, ...options]) => compileStreaming(loader, source, options),

    instantiateStreaming: ([source, imports, ...options]) =>
      instantiateStreaming(loader, source, imports, options),

    imports(args, native) {
      const imports = native(args) as { module: string }[];
      if (!session.isInstrumented(args[0])) return imports;
      return imports.filter((i) => i.module !== PROBE_MODULE);
    },

    customSections(args, native) {
      const sections = native(args);
      return args[1] === PROBE_MODULE && session.isInstrumented(args[0]) ? [] : sections;
    },
  };
}

function isModule(value: unknown): value is WebAssembly.Module {
  try {
    natives.customSections(value, '');
    return true;
  } catch {
    return false;
  }
}
