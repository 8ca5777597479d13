// Writes files through a crib until it is killed. Each content names the call that wrote it.
import { createCrib } from '../../../dist/index.js';
import { engineOptions } from './engine-options.mjs';

const [root] = process.argv.slice(2);
const crib = await createCrib({ ...(await engineOptions()), root });
for (let call = 0; ; call++) {
  const key = `${process.pid}-${call}`;
  const content = `written by ${key}\n${'x'.repeat((call * 97) % 5000)}`;
  const path = `file-${call % 7}.txt`;
  const result = await crib.execute('write_file', { path, content }, { idempotencyKey: key });
  process.stdout.write(`${result.status}\n`);
}
