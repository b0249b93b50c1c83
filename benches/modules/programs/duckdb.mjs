// a join and an aggregate over 20,000 rows; C++ exceptions from a wrong query
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const dist = dirname(require.resolve('@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs'));
const duckdb = require('@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs');
const bundle = (name) => ({
  mainModule: join(dist, `duckdb-${name}.wasm`),
  mainWorker: join(dist, `duckdb-node-${name}.worker.cjs`),
});
const bundles = { mvp: bundle('mvp'), eh: bundle('eh') };
const db = await duckdb.createDuckDB(bundles, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
await db.instantiate();
const connection = db.connect();
let message = '';
try {
  connection.query('select no_such_column');
} catch (error) {
  message = error.message.split('\n')[0];
}
const table = connection.query(
  'select a.range % 7 as k, count(*)::int as n, sum(a.range)::int as s from range(20000) a join range(100) b on a.range % 100 = b.range group by k order by k',
);
console.log('RESULT', table.toArray().join(' '), message);
