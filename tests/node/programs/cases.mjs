// Small programs with counts and paths computed by hand.
//
// Each case: the program, its imports, what is called from the host, and every
// path with its count, `a > b 3` meaning that b was called three times under a
// root a. Paths that are not listed must not be there.

/** Calls `f` and swallows what it throws; fails when it does not throw. */
function throws(f) {
  try {
    f();
  } catch {
    return;
  }
  throw new Error('should have thrown');
}

/** @type {{name: string, program: string, imports?: (ctx: any) => any, run: (e: any, ctx: any) => unknown, result?: unknown, expect: string}[]} */
export const cases = [
  {
    name: 'direct calls',
    program: 'direct',
    run: (e) => e.run(3),
    expect: `
			run 1
			run > leaf 3
			run > middle 3
			run > middle > leaf 6`,
  },
  {
    name: 'recursion: fib(10) is 177 calls on 10 paths',
    program: 'fib',
    run: (e) => e.fib(10),
    result: 55,
    // Level k has one path; its calls are the calls made at depth k.
    expect: [1, 2, 4, 8, 16, 32, 52, 44, 16, 2]
      .map(
        (calls, depth) =>
          `${Array(depth + 1)
            .fill('fib')
            .join(' > ')} ${calls}`,
      )
      .join('\n'),
  },
  {
    name: 'calls through a table',
    program: 'indirect',
    run: (e) => e.run(7),
    expect: `
			run 1
			run > a 2
			run > b 3
			run > b > a 3
			run > c 2`,
  },
  {
    name: 'recursion through a table',
    program: 'indirect',
    run: (e) => e.recurse(3),
    result: 7,
    expect: `
			recurse 1
			recurse > down 1
			recurse > down > down 1
			recurse > down > down > down 1
			recurse > down > down > down > down 1`,
  },
  {
    name: 'a table function called by the host',
    program: 'indirect',
    run: (e) => [e.table.get(1)(2), e.table.get(0)(2)],
    result: [7, 3],
    expect: `
			b 1
			b > a 1
			a 1`,
  },
  {
    name: 'calls through references',
    program: 'reference',
    run: (e) => e.run(),
    result: 40,
    expect: `
			run 1
			run > inc 1
			run > apply 1
			run > apply > twice 1
			run > dec 1`,
  },
  {
    name: 'every exit with no, one and two results',
    program: 'exits',
    run: (e) => e.run(1000),
    // Half of the rounds leave the conditional ones early, half call $after at their end.
    expect: `
			run 1
			run > after 1000
			${['fall0', 'return0', 'br0', 'br_if0', 'table0', 'fall1', 'return1', 'br1', 'dead', 'br_if1', 'table1', 'fall2', 'return2', 'br2', 'br_if2', 'table2'].map((f) => `run > ${f} 1000`).join('\n')}
			${['br_if0', 'table0', 'br_if1', 'table1', 'br_if2', 'table2'].map((f) => `run > ${f} > after 500`).join('\n')}`,
  },
  {
    name: 'every exit by a reference, with no, one and two results',
    program: 'exits_references',
    run: (e) => e.run(1000),
    // The 500 odd rounds have null and an i31, the others a box.
    result: 500 * (3 + 10 + 6 + 11 + 15 + 30 + 1 + 4) + 4000,
    expect: `
			run 1
			run > after 2000
			run > one 1000
			run > two 1000
			${['null0', 'null1', 'null2', 'non_null1', 'non_null2', 'cast1', 'cast2', 'cast_fail1', 'cast_fail2'].map((f) => `run > ${f} 1000\nrun > ${f} > after 500`).join('\n')}
			${[0, 1, 2].map((n) => `run > tail${n} 1000`).join('\n')}`,
  },
  {
    name: 'every exit by a tail call, with no, one and two results',
    program: 'exits_tail_calls',
    run: (e) => e.run(1000),
    result: 8000,
    expect: `
			run 1
			run > after 1000
			${['zero', 'one', 'two'].map((f) => `run > ${f} 2000\nrun > ${f} > after 2000`).join('\n')}
			${[0, 1, 2].map((n) => `run > direct${n} 1000\nrun > indirect${n} 1000`).join('\n')}`,
  },
  ...['exits_exceptions', 'exits_legacy_exceptions'].map((program) => ({
    name: `every exit by an exception, with no, one and two results (${program})`,
    program,
    run: (e) => e.run(1000),
    // The 500 odd rounds throw.
    result: 500 * (1 + 5 + 3 + 11 + 1 + 2 + 3 + 7),
    expect: `
			run 1
			run > after 1000
			${[0, 1, 2]
        .flatMap((n) => [
          `caught${n} 1000`,
          `caught${n} > after 500`,
          `caught${n} > throws${n} 1000`,
          `caught${n} > throws${n} > after 500`,
          `outer${n} 1000`,
          `outer${n} > again${n} 1000`,
          `outer${n} > again${n} > throws${n} 1000`,
          `outer${n} > again${n} > throws${n} > after 500`,
        ])
        .map((path) => `run > ${path}`)
        .join('\n')}`,
  })),
  {
    name: 'a million direct tail calls',
    program: 'tailcalls',
    run: (e) => e.direct(1_000_000),
    result: 2,
    expect: `
			direct 1
			direct > even 500001
			direct > odd 500000
			direct > even > leaf 1
			direct > leaf 1`,
  },
  {
    name: 'a million tail calls through a table',
    program: 'tailcalls',
    run: (e) => e.indirect(1_000_000),
    result: 2,
    expect: `
			indirect 1
			indirect > loop_indirect 1000001
			indirect > loop_indirect > leaf 1
			indirect > leaf 1`,
  },
  {
    name: 'a million tail calls through a reference',
    program: 'tailcalls',
    run: (e) => e.ref(1_000_000),
    result: 2,
    expect: `
			ref 1
			ref > loop_ref 1000001
			ref > loop_ref > leaf 1
			ref > leaf 1`,
  },
  {
    name: 'three million tail calls through functions that have a thunk',
    program: 'tail_thunks',
    run: (e) => e.run(999_999),
    result: 3,
    expect: `
			run 1
			run > a 1000000
			run > b 1000000
			run > c 1000000
			run > a > leaf 1
			run > b > leaf 1
			run > c > leaf 1`,
  },
  {
    name: 'an export that leaves with a tail call',
    program: 'tailcalls',
    run: (e) => e.forward(2),
    result: 1,
    expect: `
			forward 1
			even 2
			odd 1
			even > leaf 1`,
  },
  {
    name: 'a tail call inside a try',
    program: 'tail_in_try',
    run: (e) => e.run(),
    result: 105,
    expect: `
			run 1
			run > tail 1
			run > thrower 1
			run > leaf 1`,
  },
  {
    name: 'a tail call inside a legacy try',
    program: 'legacy_tail_in_try',
    run: (e) => e.run(),
    result: 105,
    expect: `
			run 1
			run > tail 1
			run > thrower 1
			run > leaf 1`,
  },
  {
    name: 'functions referred to by globals, tables and segments of every kind',
    program: 'segments',
    run: (e) => [e.run(), e.global.value()],
    result: [1 + 4 + 8 + 16 + 32 + 64 + 128 + 256 + 8 + 128, 2],
    expect: `
			run 1
			${['in_global', 'in_table', 'active_expression', 'passive', 'passive_expression', 'declared_expression'].map((f) => `run > ${f} 1`).join('\n')}
			${['active', 'declared'].map((f) => `run > ${f} 2`).join('\n')}
			${['in_global', 'in_table', 'active_expression', 'passive', 'passive_expression', 'declared_expression'].map((f) => `run > ${f} > leaf 1`).join('\n')}
			${['active', 'declared'].map((f) => `run > ${f} > leaf 2`).join('\n')}
			in_exported_global 1
			in_exported_global > leaf 1`,
  },
  {
    name: 'exceptions through several frames',
    program: 'exceptions',
    run: (e) => e.run(6),
    // 6 and 3 throw $e, 4 and 2 throw $f, 5 and 1 return.
    result: 2009,
    expect: `
			run 1
			run > rethrow 6
			run > rethrow > middle 6
			run > rethrow > middle > throws 6
			run > rethrow > middle > throws > leaf 2
			run > rethrow > middle > leaf 2
			run > rethrow > leaf 4
			run > leaf 2`,
  },
  {
    name: 'legacy exceptions',
    program: 'legacy_exceptions',
    run: (e) => e.run(6),
    result: 9,
    expect: `
			run 1
			run > delegates 6
			run > delegates > throws 6
			run > delegates > throws > leaf 3
			run > delegates > leaf 3
			run > leaf 3`,
  },
  {
    name: 'imports are nodes; what they call back hangs under them',
    program: 'host',
    imports: (ctx) => ({
      env: { callback: (x) => ctx.exports.inner(0) + x, quiet() {}, throws() {} },
    }),
    run: (e) => e.run(5),
    result: 48,
    expect: `
			run 1
			run > quiet 1
			run > callback 1
			run > callback > inner 1
			run > callback > inner > leaf 1
			run > leaf 1`,
  },
  {
    name: 'a tail call of an import',
    program: 'host',
    imports: (ctx) => ({
      env: { callback: (x) => ctx.exports.leaf() + x, quiet() {}, throws() {} },
    }),
    run: (e) => [e.tail(5), e.leaf()],
    result: [6, 1],
    expect: `
			tail 1
			callback 1
			callback > leaf 1
			leaf 1`,
  },
  {
    name: 'a JavaScript throw caught between two wasm frames, then a further call',
    program: 'host',
    imports: (ctx) => ({
      env: {
        callback(x) {
          throws(() => ctx.exports.inner(1));
          return ctx.exports.leaf() + x;
        },
        quiet() {},
        throws() {
          throw new RangeError('from the host');
        },
      },
    }),
    run: (e) => [e.run(5), e.leaf()],
    result: [7, 1],
    expect: `
			run 1
			run > quiet 1
			run > callback 1
			run > callback > inner 1
			run > callback > inner > throws 1
			run > callback > leaf 1
			run > leaf 1
			leaf 1`,
  },
  {
    name: 'a trap caught between two wasm frames, and one that reaches the top through an import',
    program: 'host',
    imports: (ctx) => ({
      env: {
        callback(x) {
          throws(() => ctx.exports.traps());
          return ctx.exports.leaf() + x;
        },
        quiet() {},
        throws: () => ctx.exports.traps(),
      },
    }),
    run(e) {
      throws(() => e.traps_in_import());
      return [e.run(5), e.leaf()];
    },
    result: [7, 1],
    expect: `
			traps_in_import 1
			traps_in_import > throws 1
			traps_in_import > throws > traps 1
			traps_in_import > throws > traps > leaf 1
			run 1
			run > quiet 1
			run > callback 1
			run > callback > traps 1
			run > callback > traps > leaf 1
			run > callback > leaf 1
			run > leaf 1
			leaf 1`,
  },
  {
    name: 'invoke_* around calls through a table',
    program: 'unwinding',
    imports: (ctx) => ({
      env: {
        invoke(index) {
          try {
            ctx.exports.table.get(index)();
          } catch {}
        },
        host() {},
      },
    }),
    run(e) {
      e.run();
      e.leaf();
    },
    expect: `
			run 1
			run > invoke 4
			run > invoke > ok 1
			run > invoke > ok > leaf 1
			run > invoke > throws 1
			run > invoke > throws > leaf 1
			run > invoke > traps 1
			run > invoke > traps > leaf 1
			run > invoke > far 1
			run > invoke > far > far2 1
			run > invoke > far > far2 > throws 1
			run > invoke > far > far2 > throws > leaf 1
			run > leaf 1
			leaf 1`,
  },
  {
    name: 'throws and traps that unwind five frames of JavaScript and ten of wasm, then calls',
    program: 'unwinding',
    imports: (ctx) => ({
      env: {
        invoke() {},
        host(n) {
          if (n === 0) throw new RangeError('at the bottom');
          if (n === 100) ctx.exports.table.get(2)();
          if (n !== 5 && n !== 105) return ctx.exports.down(n - 1);
          throws(() => ctx.exports.down(n - 1));
          ctx.exports.leaf();
        },
      },
    }),
    run(e) {
      e.down(6);
      e.leaf();
      e.down(106);
      throws(() => e.down(2));
      e.leaf();
    },
    // Twice the same way down to 5 and 0 (or 105 and 100), once from 2 to the top.
    expect: [
      ...[0, 1, 2, 3, 4, 5, 6].flatMap((depth) => {
        const above = 'down > middle > host > '.repeat(depth);
        const calls = depth < 3 ? 3 : 2;
        return ['down', 'down > middle', 'down > middle > host'].map(
          (path) => `${above}${path} ${calls}`,
        );
      }),
      `${'down > middle > host > '.repeat(7)}traps 1`,
      `${'down > middle > host > '.repeat(7)}traps > leaf 1`,
      `${'down > middle > host > '.repeat(2)}leaf 2`,
      'down > leaf 2',
      'down > middle > host > down > leaf 2',
      'leaf 2',
    ].join('\n'),
  },
  {
    name: 'a table that JavaScript fills, grows and calls through',
    program: 'unwinding',
    imports: () => ({ env: { invoke() {}, host() {} } }),
    run(e) {
      e.table.set(5, e.leaf);
      e.table.grow(2, e.table.get(3));
      e.table.set(0, e.table.get(5));
      e.through(5);
      e.through(0);
      throws(() => e.through(6));
      e.table.get(5)();
      throws(() => e.table.get(7)());
      return e.table.get(0) === e.leaf;
    },
    result: true,
    expect: `
			through 3
			through > leaf 4
			through > far 1
			through > far > far2 1
			through > far > far2 > throws 1
			through > far > far2 > throws > leaf 1
			leaf 1
			far 1
			far > far2 1
			far > far2 > throws 1
			far > far2 > throws > leaf 1`,
  },
  {
    name: 'Asyncify: what rewinds the stack is not a call',
    program: 'asyncify',
    imports: (ctx) => ({
      env: {
        sleep() {
          ctx.rewinding = !ctx.rewinding;
          if (ctx.rewinding) ctx.exports.a(16);
          else ctx.exports.d();
          return 5;
        },
      },
    }),
    run(e) {
      const results = [e.run()];
      for (let i = 0; i < 2; i++) {
        e.b();
        e.c(16);
        results.push(e.run());
      }
      return results;
    },
    result: [0, 0, 42],
    // Each sleep unwinds once; $push and $pop are not Asyncify's but ours.
    expect: `
			run 1
			run > push 2
			run > pop 2
			run > middle 1
			run > middle > push 2
			run > middle > pop 2
			run > middle > leaf 2
			run > middle > sleep 1
			run > middle > sleep > start_unwind 1
			run > middle > sleep > stop_rewind 1
			run > middle > nap 1
			run > middle > nap > push 1
			run > middle > nap > pop 1
			run > middle > nap > sleep 1
			run > middle > nap > sleep > start_unwind 1
			run > middle > nap > sleep > stop_rewind 1
			run > leaf 1
			stop_unwind 2
			start_rewind 2`,
  },
  {
    name: 'imports in tables',
    program: 'import_table',
    imports: () => ({ env: { tabled() {}, exported() {}, both() {} } }),
    run(e) {
      e.run();
      e.table.get(0)();
      e.both();
      e.exported();
      return e.both === e.table.get(1) && e.leaf === e.table.get(2);
    },
    result: true,
    expect: `
			run 1
			run > tabled 2
			run > both 2
			run > leaf 2
			tabled 1
			both 1`,
  },
  {
    name: 'a start function',
    program: 'start',
    imports: (ctx) => ({ env: { log: (x) => ctx.log.push(x) } }),
    run: (e, ctx) => [e.get(), ...ctx.log],
    result: [42, 42],
    expect: `
			init 1
			init > helper 1
			init > log 1
			get 1`,
  },
  {
    name: 'traps, each followed by a call',
    program: 'traps',
    run(e) {
      for (const trap of [e.oob, () => e.div(0), e.unreach]) {
        throws(trap);
        e.leaf();
      }
    },
    expect: `
			oob 1
			oob > deep_oob 1
			oob > deep_oob > leaf 1
			div 1
			unreach 1
			unreach > leaf 1
			leaf 3`,
  },
  {
    name: 'leaves, called in every way',
    program: 'leaves',
    run(e) {
      const results = [e.ways(1), e.leaf(1), e.through()];
      for (const trap of [e.outside, e.by_zero]) {
        throws(trap);
        results.push(e.ways(1));
      }
      return results;
    },
    expect: `
			ways 3
			ways > leaf 9
			ways > other 6
			leaf 4
			through 1
			through > between 1
			through > between > load 1
			through > between > leaf 1
			outside 1
			outside > load 1
			by_zero 1
			by_zero > divide 1`,
  },
  {
    name: 'names: duplicates, exports, imports, indices',
    program: 'names',
    imports: () => ({ env: { 'plain.name'() {} } }),
    run: (e) => e['by-export'](),
    expect: `
			by-export 1
			by-export > same 1
			by-export > same 1
			by-export > func[4] 1
			by-export > env.plain.name 1
			by-export > func[5] 1`,
  },
  {
    name: "the module's own memory",
    program: 'shared_memory_kinds',
    run(e) {
      const before = e.memory;
      const sum = e.run();
      const bytes = new Uint8Array(e.memory.buffer);
      const text = (at, n) => String.fromCharCode(...bytes.subarray(at, at + n));
      return [
        sum,
        before === e.memory,
        bytes.length,
        text(0, 5),
        text(100, 7),
        text(200, 5),
        bytes[303],
      ];
    },
    result: [10, true, 131072, 'Hello', 'passive', 'hello', 7],
    expect: `
			run 1
			run > write 2`,
  },
  {
    name: 'two memories',
    program: 'two_memories',
    run: (e) => e.run(),
    result: 12,
    expect: `
			run 1
			run > get 1`,
  },
];
