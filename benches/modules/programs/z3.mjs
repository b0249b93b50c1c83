// solves a puzzle of numbers in pthreads
import { init } from 'z3-solver';

const { Context, em } = await init();
const { Int, Solver, Distinct } = Context('main');
const solver = new Solver();
const [s, e, n, d, m, o, r, y] = [...'sendmory'].map((name) => Int.const(name));
for (const x of [s, e, n, d, m, o, r, y]) solver.add(x.ge(0), x.le(9));
solver.add(Distinct(s, e, n, d, m, o, r, y), s.gt(0), m.gt(0));
const word = (...xs) => xs.reduce((sum, x) => sum.mul(10).add(x));
solver.add(
  word(s, e, n, d)
    .add(word(m, o, r, e))
    .eq(word(m, o, n, e, y)),
);
console.log(
  'RESULT',
  await solver.check(),
  [s, e, n, d, m, o, r, y].map((x) => solver.model().eval(x).toString()).join(''),
);
em.PThread.terminateAllThreads();
