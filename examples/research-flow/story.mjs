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

const REPORT =
  'Bees fly up to five kilometres. A hive holds fifty thousand bees. Honey keeps for centuries.';

/** Starts a process that works on the report, and listens to it. */
const start = (worker, words) => {
  const child = spawn(process.execPath, [fileURLToPath(worker), ...words]);
  const started = { child, text: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    started.text += chunk;
  });
  child.stderr.pipe(process.stderr);
  started.over = new Promise((resolve) => child.on('close', resolve));
  return started;
};

const until = async (isThere) => {
  for (const end = Date.now() + 120_000; !isThere(); await pause(20)) {
    assert.ok(Date.now() < end, 'it takes too long');
  }
};

const kill = async ({ child, over }) => {
  child.kill('SIGKILL');
  await over;
};

/** Tells the story with the worker at this address, and checks that it ended well. */
export const tellStory = async (worker) => {
  let isSlow = true;
  // The third page does not come until the first process is gone.
  const site = await openSite(async (path) => {
    if (path === '/pages/honey' && isSlow) await new Promise(() => {});
  });
  const root = mkdtempSync(join(tmpdir(), 'research-'));
  const work = (...more) => start(worker, [root, site.url, ...more]);
  const count = (path) => site.asked.filter((each) => each === path).length;
  try {
    const first = work();
    await until(() => count('/pages/honey') === 1 && first.text.includes('pages 2'));
    // Steps that only read are on disk 50 ms after they have ended, at the latest.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await kill(first);
    console.log('killed while it read pages:', site.asked.join(' '));

    isSlow = false;
    const second = work();
    await until(() => second.text.includes('pages 3, waiting'));
    await kill(second);
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
    const pages = ['bees', 'hives', 'honey'].map((name) => count(`/pages/${name}`));
    assert.deepEqual(pages, [1, 1, 2]);
    assert.deepEqual(
      site.reports.map(({ report }) => report),
      [REPORT],
    );
  } finally {
    site.close();
    rmSync(root, { recursive: true, force: true });
  }
};
