/** `store migrate --jobs` on the command line: jobs go from a file to Redis. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { isMissing } from '../../../../test/fixtures/needed-programs.ts';
import { type RealRedis, startRedis } from '../../../../test/fixtures/real-redis.ts';
import { runCli } from '../../run-cli.ts';

describe.skipIf(isMissing('redis-server'))('toolcrib store migrate --jobs', () => {
  let redis: RealRedis;
  let base = '';
  beforeAll(async () => {
    redis = await startRedis();
    base = mkdtempSync(join(tmpdir(), 'toolcrib-move-cli-'));
    mkdirSync(join(base, 'project', '.toolcrib'), { recursive: true });
  });
  afterAll(async () => {
    await redis.close();
    rmSync(base, { recursive: true, force: true });
  });

  const run = async (args: readonly string[], env: Record<string, string> = {}) => {
    const { io, out, err } = fakeIo({
      cwd: join(base, 'project'),
      env: { HOME: base, TOOLCRIB_HOME: join(base, 'home'), ...env },
      json: args.includes('--json'),
    });
    const code = await runCli([...args], io);
    return { code, out: out(), err: err() };
  };

  it('moves the jobs of the project, says how many, and has nothing to do the second time', async () => {
    const payload = '{"tool":"calculator","input":{"expression":"6*7"}}';
    expect(await run(['jobs', 'add', 'tool', payload])).toMatchObject({ code: 0 });
    await run(['jobs', 'schedule', 'nightly', 'tool', '--cron', '@daily', '--payload', payload]);
    const unset = await run(['store', 'migrate', '--jobs']);
    expect(unset.code).toBe(2);
    expect(unset.err).toMatch(/jobs\.url/);
    const env = { TOOLCRIB_JOBS_URL: redis.url };
    const moved = await run(['store', 'migrate', '--jobs'], env);
    expect(moved.out).toMatch(/1 job and 1 schedule moved to Redis/);
    const listed = await run(['jobs', 'list', '--json'], env);
    expect(JSON.parse(listed.out)).toMatchObject([{ type: 'tool', state: 'waiting' }]);
    const again = await run(['store', 'migrate', '--jobs', '--json'], env);
    expect(JSON.parse(again.out).jobs).toEqual({ jobs: 0, schedules: 0, present: 0 });
  });
});
