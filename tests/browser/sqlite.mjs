// Does in Node what pages/sql.mjs does in a page, and prints rows and report.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import initSqlJs from 'sql.js';
import { createProfiler } from '../../npm/dist/index.js';
import { work } from './pages/sql.mjs';

const profiler = createProfiler();
const wasm = readFileSync(createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm'));
const rows = await work(() =>
  initSqlJs({
    instantiateWasm(imports, done) {
      profiler.instantiate(wasm, imports).then(({ instance, module }) => done(instance, module));
      return {};
    },
  }),
);
process.stdout.write(JSON.stringify({ rows, report: profiler.profile().report({ paths: true }) }));
