// Some SQL in SQLite (sql.js), the same in a page and in Node.

/** @param {(config?: object) => Promise<any>} [init] in a page: what the script of sql.js left */
export async function work(init = globalThis.initSqlJs) {
  const SQL = await init({ locateFile: (name) => `/node_modules/sql.js/dist/${name}` });
  const db = new SQL.Database();
  db.run('create table t(a integer primary key, b text)');
  const insert = db.prepare('insert into t values (?, ?)');
  for (let i = 0; i < 200; i++) insert.run([i, `row ${(i * 7919) % 101}`]);
  insert.free();
  const [{ values }] = db.exec('select b, count(*) from t group by b order by 2 desc, 1 limit 5');
  db.close();
  return values;
}
