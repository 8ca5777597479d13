import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import type { UpdateInfo } from '../../contract/packages.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import type { OpenCrib } from '../io.ts';
import { checkPackages, checkPackagesSoon } from './check-packages.ts';

let userDir: string;
beforeEach(async () => {
  userDir = await mkdtemp(join(tmpdir(), 'toolcrib-updates-'));
});
afterEach(() => rm(userDir, { recursive: true, force: true }));

const NEWER: UpdateInfo = {
  name: 'counting',
  target: 'user',
  current: '1.0.0',
  wanted: '1.0.0',
  latest: '2.0.0',
  isOutdated: true,
};

/** An open crib with one package, for a registry that answers with `infos`. */
const opened = (infos: () => Promise<readonly UpdateInfo[]>, updateChecks = true) => {
  let asked = 0;
  const packages = {
    list: () => [{}],
    checkForUpdates: () => {
      asked += 1;
      return infos();
    },
  };
  const loaded = { userDir, config: { registry: { updateChecks } } };
  return { open: { crib: { packages }, loaded } as unknown as OpenCrib, asked: () => asked };
};

describe('checkPackages', () => {
  it('tells of a newer version, and asks once a day', async () => {
    const { io, err } = fakeIo({});
    const { open, asked } = opened(async () => [NEWER]);
    await checkPackages(io, open);
    await checkPackages(io, open);
    expect(asked()).toBe(1);
    expect(err()).toContain('newer version of counting: 2.0.0 (installed: 1.0.0)');
    await writeFile(
      join(userDir, 'package-updates.json'),
      JSON.stringify({ checkedAt: io.runtime.now() - DAY_MS }),
    );
    await checkPackages(io, open);
    expect(asked()).toBe(2);
  });

  it('says nothing of a failure, and reads a damaged record as none', async () => {
    const { io, err } = fakeIo({});
    await writeFile(join(userDir, 'package-updates.json'), '{');
    const { open, asked } = opened(() => Promise.reject(new Error('offline')));
    await checkPackages(io, open);
    expect([asked(), err()]).toEqual([1, '']);
  });
});

describe('checkPackagesSoon', () => {
  it.each([true, false])(
    'with registry.updateChecks: %s waits without keeping the process',
    (isOn) => {
      const { io } = fakeIo({});
      const delays: number[] = [];
      const runtime = {
        ...io.runtime,
        after: (ms: number) => {
          delays.push(ms);
          return {
            cancel: () => undefined,
            keepAlive: (keeps: boolean) => expect(keeps).toBe(false),
          };
        },
      };
      checkPackagesSoon({ ...io, runtime }, opened(async () => [], isOn).open);
      expect(delays).toHaveLength(isOn ? 1 : 0);
    },
  );
});
