// sums, groups and sorts 2,000 objects
import { createRequire } from 'node:module';
import { digest } from './digest.mjs';

const jq = await createRequire(import.meta.url)('jq-web');
const data = Array.from({ length: 2000 }, (_, i) => ({ k: (i * 31) % 17, v: i }));
const filter = 'group_by(.k) | map({k: .[0].k, sum: (map(.v) | add)}) | sort_by(-.sum)';
console.log('RESULT', digest(JSON.stringify(await jq.json(data, filter))));
