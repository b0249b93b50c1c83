/** What went wrong, for programs; stable between releases. */
export type ErrorCode =
  | 'ERR_XRAY_OPTION'
  | 'ERR_XRAY_MODULE'
  | 'ERR_XRAY_ARENA'
  | 'ERR_XRAY_PROFILE'
  | 'ERR_XRAY_FILE'
  | 'ERR_XRAY_BUSY'
  | 'ERR_XRAY_ENGINE'
  | 'ERR_XRAY_INSTALLATION';

/**
 * Base of every error that wasm-xray throws on purpose. The message is one or
 * two sentences that end in what to do; it never needs the stack to be understood.
 */
export class XrayError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** An option has a value that it cannot have. */
export class OptionError extends XrayError {
  constructor(message: string) {
    super('ERR_XRAY_OPTION', message);
  }
}

/** The bytes are not a module that can be instrumented. */
export class ModuleError extends XrayError {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_XRAY_MODULE', message, options);
  }
}

/** A module does not fit into the arena. */
export class ArenaError extends XrayError {
  constructor(message: string) {
    super('ERR_XRAY_ARENA', message);
  }
}

/** The bytes are not a profile, or its map does not belong to it. */
export class ProfileError extends XrayError {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_XRAY_PROFILE', message, options);
  }
}

/** A file cannot be read or written. */
export class FileError extends XrayError {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_XRAY_FILE', message, options);
  }
}

/** The engine or the host does not have what is needed. */
export class EngineError extends XrayError {
  constructor(message: string) {
    super('ERR_XRAY_ENGINE', message);
  }
}

/** A part of the package itself is missing or does not fit the others. */
export class InstallationError extends XrayError {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_XRAY_INSTALLATION', message, options);
  }
}

/** Whether something is an error, of any realm. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error);
}
