// Profiles SQLite (sql.js, unmodified) in this page through the library, without an
// extension, and shows the flame graph while it grows.

import './style.css';
import sqlScript from 'sql.js/dist/sql-wasm-debug.js?url'; // its exports have readable names
import sqlModule from 'sql.js/dist/sql-wasm-debug.wasm?url';
import { createProfiler, load } from '../../npm/dist/browser/index.js';
import toolkit from '../../npm/wasm/toolkit/wasm_xray_toolkit_bg.wasm?url';
import { mount } from '../../www/viewer/src/mount.ts';

/** Time between two pictures, in ms. */
const PICTURE_MS = 1000;

const QUERIES = {
  'join and group': `select city, count(*), sum(cents) from purchase join customer
    on customer.id = customer group by city order by 3 desc`,
  'text search': "select count(*) from customer where name like '%7%' and substr(city, 1, 1) < 'E'",
  'recursion, arithmetic': `with recursive chain(n, steps) as (select 27, 0 union all
    select case n % 2 when 0 then n / 2 else 3 * n + 1 end, steps + 1 from chain where n > 1)
    select max(steps) from chain`,
  'window function': `select * from (select customer, day,
    row_number() over (partition by customer order by cents desc) r from purchase) where r = 1`,
};

const element = (id) => document.getElementById(id);
const format = new Intl.NumberFormat('en');

function addScript(src) {
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src, onload: resolve });
    script.onerror = () => reject(new Error(`${src} could not be loaded.`));
    document.head.append(script);
  });
}

/** SQLite with probes: sql.js lets its caller make the instance. */
async function openDatabase(profiler) {
  await addScript(sqlScript);
  const bytes = await (await fetch(sqlModule)).arrayBuffer();
  const SQL = await globalThis.initSqlJs({
    instantiateWasm(imports, done) {
      profiler.instantiate(bytes, imports).then(({ instance, module }) => done(instance, module));
      return {};
    },
  });
  return new SQL.Database();
}

function fill(db) {
  db.run(`create table customer(id integer primary key, name text, city text);
    create table purchase(id integer primary key, customer integer, day integer, cents integer);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
      insert into customer select i, 'Customer ' || (i * 7919 % 1009), substr('ABCDEFGH', i % 8 + 1, 1) || 'ville' from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
      insert into purchase select i, i * 31 % 200 + 1, i % 365, i * 7919 % 20000 from n;
    create index purchase_by_customer on purchase(customer);`);
}

async function start() {
  await load();
  const profiler = createProfiler();
  const db = await openDatabase(profiler);
  fill(db);

  const picture = () => {
    const profile = profiler.profile();
    const { functions, paths } = profile.report({ paths: true });
    element('calls').textContent = format.format(functions.reduce((n, f) => n + f.calls, 0));
    element('paths').textContent = format.format(paths.length);
    const map = new TextEncoder().encode(profile.map());
    return [{ name: 'sqlite.xray', blocks: profile.blocks(), map }];
  };
  const viewer = await mount(element('viewer'), { toolkit, profiles: picture() });

  let isPaused = false;
  element('pause').onclick = () => {
    isPaused = !isPaused;
    element('pause').textContent = isPaused ? 'Go on' : 'Pause';
  };
  const titles = Object.keys(QUERIES);
  let next = performance.now() + PICTURE_MS;
  for (let turn = 0; ; ) {
    await new Promise(requestAnimationFrame);
    if (isPaused) continue;
    const title = titles[turn++ % titles.length];
    element('query').textContent = title;
    db.exec(QUERIES[title]);
    if (performance.now() < next) continue;
    await viewer.setProfiles(picture());
    next = performance.now() + PICTURE_MS;
  }
}

start().catch((error) => {
  element('failure').textContent = error.message;
  element('failure').hidden = false;
});
