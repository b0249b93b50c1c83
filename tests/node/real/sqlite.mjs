// sql.js: Emscripten, `WebAssembly.instantiate` with bytes.
import initSqlJs from 'sql.js';
import { result, small } from './source.mjs';

const SQL = await initSqlJs();
const db = new SQL.Database();
const rows = small ? 20 : 20000;
db.run('create table t(a integer primary key, b text, c real)');
db.run('begin');
const insert = db.prepare('insert into t values (?, ?, ?)');
for (let i = 0; i < rows; i++) insert.run([i, `row${(i * 7919) % 10007}`, i * 0.5]);
insert.free();
db.run('commit');
db.run('create index ix on t(b)');
result(
  db.exec(
    `with recursive f(n, x) as (select 1, 1 union all select n + 1, (x * 31 + n) % 1000003 from f where n < ${rows})
		select sum(x), max(x), count(*) from f;
		select substr(b, 1, 5) k, count(*), sum(c) from t group by k order by 2 desc, 1 limit 20;
		select count(*) from t x join t y on x.b = y.b where x.a < 3000`,
  ),
);
