// a dozen hash functions, each a module of its own (C, hand-made glue)
import {
  argon2id,
  blake2b,
  blake3,
  crc32,
  md4,
  md5,
  ripemd160,
  sha1,
  sha3,
  sha512,
  sm3,
  whirlpool,
  xxhash64,
} from 'hash-wasm';
import { digest } from './digest.mjs';

const text = 'wasm-xray '.repeat(1000);
const all = [];
for (const hash of [
  blake2b,
  blake3,
  crc32,
  md4,
  md5,
  ripemd160,
  sha1,
  sha3,
  sha512,
  sm3,
  whirlpool,
  xxhash64,
]) {
  all.push(await hash(text));
}
const options = { parallelism: 1, iterations: 2, memorySize: 256, hashLength: 16 };
all.push(await argon2id({ password: 'p', salt: 'saltsalt', ...options }));
console.log('RESULT', digest(all.join(' ')));
