// hashes 1,000 blocks (AssemblyScript)
import { createRequire } from 'node:module';
import { digest } from './digest.mjs';

const { digest: sha256 } = createRequire(import.meta.url)('@chainsafe/as-sha256');
let block = new Uint8Array(64);
for (let i = 0; i < 1000; i++)
  block = Uint8Array.from([...sha256(block), ...block.subarray(0, 32)]);
console.log('RESULT', digest(block));
