/**
 * Nothing but calls through the memory store, for a profiler to look at:
 * `node --cpu-prof bench/profile.mjs [number of calls] [contender]`.
 */
import { rm } from 'node:fs/promises';
import { contenders } from './contenders.mjs';
import { scratchFolder } from './race.mjs';

const [calls = '300000', name = 'Toolcrib, memory'] = process.argv.slice(2);
const folder = await scratchFolder();
const { call, close } = await contenders[name]({ folder });
const start = performance.now();
for (let i = 0; i < Number(calls); i++) await call(i);
const ms = performance.now() - start;
console.log(`${name}: ${calls} calls, ${((ms * 1000) / Number(calls)).toFixed(2)} µs a call`);
await close?.();
await rm(folder, { recursive: true, force: true });
