// starts the .NET runtime with the assemblies of a Blazor application (Mono, WebAssembly exceptions)
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const folder = join(dirname(require.resolve('blazor/package.json')), 'release/wwwroot/_framework');
const { dotnet } = await import(pathToFileURL(join(folder, 'dotnet.js')).href);
const { getConfig, runtimeBuildInfo } = await dotnet.withDiagnosticTracing(false).create();
console.log('RESULT', getConfig().mainAssemblyName, runtimeBuildInfo.productVersion);
process.exit(0);
