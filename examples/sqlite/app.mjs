// A program that knows nothing of any profiler: a small shop in SQLite, compiled
// to WebAssembly (sql.js). It prints the same text on every run.
import initSqlJs from 'sql.js/dist/sql-wasm-debug.js'; // its exports have readable names

const CUSTOMERS = 2_000;
const PRODUCTS = 300;
const ORDERS = 20_000;

/** A generator of numbers that are the same on every run: 0 to n - 1. */
function makeRandom(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

function fill(db) {
  const random = makeRandom(1);
  const cities = ['Aachen', 'Bremen', 'Celle', 'Dresden', 'Erfurt', 'Fulda', 'Gera', 'Halle'];
  const kinds = ['book', 'game', 'lamp', 'tool', 'toy'];

  db.run(`
    create table customer(id integer primary key, name text not null, city text not null);
    create table category(id integer primary key, parent integer references category, name text not null);
    create table product(id integer primary key, name text not null, kind text not null, cents integer not null,
                         category integer not null references category);
    create table purchase(id integer primary key, customer integer not null references customer,
                          product integer not null references product, day integer not null, amount integer not null);
  `);

  const insert = (sql, count, row) => {
    const statement = db.prepare(sql);
    for (let i = 1; i <= count; i++) statement.run(row(i));
    statement.free();
  };
  db.run('begin');
  insert('insert into customer values (?, ?, ?)', CUSTOMERS, (i) => [
    i,
    `Customer ${random(10_000)}-${i}`,
    cities[random(cities.length)],
  ]);
  // Each category's parent is the one with half its number: a tree of eight levels.
  insert('insert into category values (?, ?, ?)', 255, (i) => [
    i,
    i === 1 ? null : i >> 1,
    `Category ${i}`,
  ]);
  insert('insert into product values (?, ?, ?, ?, ?)', PRODUCTS, (i) => [
    i,
    `Product ${i}`,
    kinds[random(kinds.length)],
    99 + random(20_000),
    128 + random(128),
  ]);
  insert('insert into purchase values (?, ?, ?, ?, ?)', ORDERS, (i) => [
    i,
    1 + random(CUSTOMERS),
    1 + random(PRODUCTS),
    random(365),
    1 + random(5),
  ]);
  db.run('commit');
  db.run('create index purchase_by_customer on purchase(customer, day)');
  db.run('create index purchase_by_product on purchase(product)');
}

const QUERIES = {
  'Turnover by city (join, group by)': `
    select city, count(*) purchases, sum(amount * cents) / 100.0 turnover
    from purchase join customer on customer.id = purchase.customer
                  join product on product.id = purchase.product
    group by city order by turnover desc`,
  'Best customers of each kind (window function)': `
    select kind, name, spent from (
      select kind, customer.name, sum(amount * cents) / 100.0 spent,
             row_number() over (partition by kind order by sum(amount * cents) desc, customer.id) rank
      from purchase join product on product.id = purchase.product
                    join customer on customer.id = purchase.customer
      group by kind, customer.id)
    where rank = 1 order by kind`,
  'Turnover of the top categories with all below them (recursive query)': `
    with recursive below(top, id) as (
      select id, id from category where parent = 1
      union all
      select top, category.id from category join below on category.parent = below.id)
    select category.name, count(distinct below.id) categories, sum(amount * cents) / 100.0 turnover
    from below join category on category.id = below.top
               join product on product.category = below.id
               join purchase on purchase.product = product.id
    group by top order by top`,
  'Days with the most purchases, found by text (like, substr)': `
    select day, count(*) purchases from purchase join customer on customer.id = purchase.customer
    where name like '%7-%' and substr(city, 1, 1) in ('A', 'D', 'H')
    group by day order by purchases desc, day limit 3`,
  'Collatz: longest chain below 2,000 (recursive query, arithmetic only)': `
    with recursive chain(start, n, steps) as (
      select value, value, 0 from (
        with recursive count(value) as (select 1 union all select value + 1 from count where value < 1999)
        select value from count)
      union all
      select start, case n % 2 when 0 then n / 2 else 3 * n + 1 end, steps + 1 from chain where n > 1)
    select start, max(steps) steps from chain group by start order by steps desc, start limit 1`,
};

const SQL = await initSqlJs();
const db = new SQL.Database();
fill(db);
for (const [title, sql] of Object.entries(QUERIES)) {
  const [{ columns, values }] = db.exec(sql);
  console.log(`${title}\n  ${columns.join(' | ')}`);
  for (const row of values) console.log(`  ${row.join(' | ')}`);
}
db.run('update product set cents = cents + 1 where kind = ?', ['lamp']);
db.run('delete from purchase where day >= 360');
console.log(`Left: ${db.exec('select count(*) from purchase')[0].values[0][0]} purchases`);
console.log(`Integrity: ${db.exec('pragma integrity_check')[0].values[0][0]}`);
db.close();
