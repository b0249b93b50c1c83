// sql.js from npm: inserts, an index, a recursive query, a group and two joins; about 40 million calls.

import { evaluate } from './common-js.mjs';

const ROWS = 40_000;

export async function load(read, scale) {
  const bytes = await read('/node_modules/sql.js/dist/sql-wasm.wasm');
  const glue = await read('/node_modules/sql.js/dist/sql-wasm.js');
  return {
    bytes,
    async create(instantiate) {
      // The package keeps its one instance; each variant needs its own.
      const SQL = await evaluate(glue)({
        instantiateWasm(imports, receive) {
          receive(instantiate(imports));
          return {};
        },
      });
      return () => work(SQL, Math.round(ROWS * scale));
    },
  };
}

function work(SQL, rows) {
  const db = new SQL.Database();
  db.run('create table t(a integer primary key, b text, c real)');
  db.run('begin');
  const insert = db.prepare('insert into t values (?, ?, ?)');
  for (let i = 0; i < rows; i++) insert.run([i, `row${(i * 7919) % 10007}`, i * 0.5]);
  insert.free();
  db.run('commit');
  db.run('create index ix on t(b)');
  const answer = db.exec(
    `with recursive f(n, x) as (select 1, 1 union all select n + 1, (x * 31 + n) % 1000003 from f where n < ${5 * rows})
		select sum(x), max(x), count(*) from f;
		select substr(b, 1, 5) k, count(*), sum(c) from t group by k order by 2 desc, 1 limit 20;
		select count(*) from t x join t y on x.b = y.b where x.a < 3000;
		select count(*) from t x, t y where x.a < 40 and y.a % 7 = x.a % 5`,
  );
  db.close();
  return JSON.stringify(answer);
}
