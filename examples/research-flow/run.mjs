// A report that survives the end of its process, twice: killed while it reads pages, killed while it waits
// for a person. Pages that were read are not read again, and the report is sent once.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSite } from './site.mjs';

let third;
const isHeld = new Promise((resolve) => {
  third = resolve;
});
let isSlow = true;
// The third page does not come until the first process is gone.
const site = await openSite(async (path) => {
  if (path !== '/pages/honey' || !isSlow) return;
  third();
  await new Promise(() => {});
});
const root = mkdtempSync(join(tmpdir(), 'research-'));
const worker = fileURLToPath(new URL('./worker.mjs', import.meta.url));

const work = (...more) => {
  const child = spawn(process.execPath, [worker, root, site.url, ...more]);
  const process_ = { child, text: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    process_.text += chunk;
  });
  child.stderr.pipe(process.stderr);
  process_.over = new Promise((resolve) => child.on('close', resolve));
  return process_;
};
const until = async (isThere) => {
  for (const end = Date.now() + 60_000; !isThere(); await pause(50)) {
    assert.ok(Date.now() < end, 'it takes too long');
  }
};
const count = (path) => site.asked.filter((each) => each === path).length;

try {
  const first = work();
  await Promise.race([isHeld, first.over]);
  await until(() => count('/pages/bees') === 1 && count('/pages/hives') === 1);
  await pause(500); // the two pages that came are on record by now
  first.child.kill('SIGKILL');
  await first.over;
  console.log('killed while it read pages:', site.asked.join(' '));

  isSlow = false;
  const second = work();
  await until(() => count('/pages/honey') === 2);
  await pause(1500); // it asks, and waits for the answer
  second.child.kill('SIGKILL');
  await second.over;
  assert.equal(site.reports.length, 0);
  console.log('killed while it waited for a person');

  const person = work('decide');
  await person.over;
  console.log(person.text.trim());

  const last = work();
  await last.over;
  console.log(last.text.trim());
  assert.match(last.text, /finished completed/);
  assert.equal(count('/search'), 1);
  assert.deepEqual([count('/pages/bees'), count('/pages/hives'), count('/pages/honey')], [1, 1, 2]);
  assert.equal(site.reports.length, 1);
  assert.equal(
    site.reports[0].report,
    'Bees fly up to five kilometres. A hive holds fifty thousand bees. Honey keeps for centuries.',
  );
} finally {
  site.close();
  rmSync(root, { recursive: true, force: true });
}
