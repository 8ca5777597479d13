/** vercel_deploy through a whole crib, against a server that checks Vercel's protocol. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { titlesOf } from '../../../test/fixtures/run-tool.ts';
import type { TestCrib } from '../../../test/fixtures/test-crib.ts';
import {
  exampleAt,
  runThrough,
  trailOf,
  vendorCrib,
} from '../../../test/fixtures/vendors/vendor-crib.ts';
import { TOO_MANY } from '../../../test/fixtures/vendors/vendor-site.ts';
import {
  openVercel,
  VERCEL_KEY,
  type VercelSite,
} from '../../../test/fixtures/vendors/vercel-server.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { defineVercelDeploy } from './vercel-deploy.ts';

const vercelDeploy = defineVercelDeploy();

const NAME = 'vercel_deploy';
const SITE = { projectPath: 'site', name: 'lamps' };
let site: VercelSite;
let workspace: Workspace;
let crib: TestCrib;
const cribWith = (key?: string, more: object = {}) =>
  vendorCrib(defineVercelDeploy({ baseUrl: site.url, wait: async () => undefined }), {
    root: workspace.root,
    ...(key !== undefined && { keys: { VERCEL_TOKEN: key } }),
    ...more,
  });

beforeEach(async () => {
  site = await openVercel();
  workspace = createWorkspace({
    'site/index.html': '<h1>Lamps</h1>',
    'site/api/hello.js': 'export default 1',
    'site/.env': 'SECRET=1',
    'site/.env.local': 'SECRET=1',
    'site/node_modules/x/index.js': 'x',
    'site/.git/config': 'x',
    'empty/.env': '',
    'other.txt': 'not deployed',
  });
  crib = await cribWith(VERCEL_KEY);
});
afterEach(async () => {
  await crib.close();
  await site.close();
  workspace.remove();
});

const paths = () => site.arrived.map(({ method, path }) => `${method} ${path}`);

describe(NAME, () => {
  it.each(titlesOf(vercelDeploy))('example: %s', async (title) => {
    const { input, output } = exampleAt(vercelDeploy, title, ['', '']);
    expect((await crib.execute(NAME, input)).data).toMatchObject(output as object);
  });

  it('uploads by digest, creates, follows with progress, and brings the log', async () => {
    site.states.push('INITIALIZING', 'BUILDING', 'READY');
    const told: string[] = [];
    const { data } = await crib.execute(
      NAME,
      { ...SITE, production: true, envVars: { A: 'b' }, teamId: 'team_1' },
      { onProgress: (fraction, note) => told.push(`${fraction.toFixed(2)} ${note}`) },
    );
    expect(data).toEqual({
      deploymentId: 'dpl_1',
      project: 'lamps',
      url: 'https://lamps-1.vercel.app',
      status: 'ready',
      files: 2,
      buildLogs: 'Building\nDone',
    });
    expect(site.made).toMatchObject([
      { name: 'lamps', target: 'production', env: { A: 'b' }, build: { env: { A: 'b' } } },
    ]);
    const [first] = site.made as { files: { file: string }[] }[];
    const names = first?.files.map(({ file }) => file) ?? [];
    expect(names.sort()).toEqual(['api/hello.js', 'index.html']);
    expect(told[0]).toBe('0.25 Uploaded 1 of 2 files');
    expect(told.at(-1)).toContain('Vercel: READY');
    expect(site.arrived.every(({ query }) => query.get('teamId') === 'team_1')).toBe(true);
  });

  it('takes the name of the folder when none is given, whatever package.json says', async () => {
    const { data } = await crib.execute(NAME, { projectPath: SITE.projectPath });
    expect(data).toMatchObject({ project: 'site' });
    expect(site.made).toMatchObject([{ name: 'site' }]);
  });

  it('returns a failed build with its log', async () => {
    site.states.push('BUILDING', 'ERROR');
    const { data, warnings } = await crib.execute(NAME, SITE);
    expect(data).toMatchObject({ status: 'error', buildLogs: 'Building\nDone' });
    expect(warnings?.[0]).toContain('exited with 1');
  });

  it('returns at once with wait: false', async () => {
    const { data } = await crib.execute(NAME, { ...SITE, wait: false });
    expect(data).toMatchObject({ status: 'building', buildLogs: '' });
    expect(paths().at(-1)).toBe('POST /v13/deployments');
  });

  it('waits for Retry-After before it begins', async () => {
    site.trouble.push(TOO_MANY);
    const result = await runThrough(crib, [NAME, SITE]);
    expect([result.success, site.made.length]).toEqual([true, 1]);
    expect(result.waitedMs).toBeGreaterThanOrEqual(7000);
  });

  it('hostile: errors while it follows a build never deploy twice', async () => {
    const wait = async () => {
      if (site.trouble.length === 0 && paths().length < 6)
        site.trouble.push(TOO_MANY, { status: 500 });
    };
    const tool = defineVercelDeploy({ baseUrl: site.url, wait });
    const own = await vendorCrib(tool, {
      root: workspace.root,
      keys: { VERCEL_TOKEN: VERCEL_KEY },
    });
    const { data } = await runThrough(own, [NAME, SITE]);
    expect(data).toMatchObject({ status: 'ready' });
    expect(site.made).toHaveLength(1);
    await own.close();
  });

  it.each([
    ['projectPath', { ...SITE, projectPath: 'empty' }],
    ['name', { ...SITE, name: 'Has Space' }],
    ['envVars', { ...SITE, envVars: { 'A B': '1' } }],
  ])('refuses a bad %s', async (field, input) => {
    const { error } = await crib.execute(NAME, input);
    expect(error?.code).toBe('VALIDATION_ERROR');
    expect(error?.issues?.[0]?.path[0]).toBe(field);
    expect(site.arrived).toEqual([]);
  });

  it('hostile: no folder outside the workspace is deployed', async () => {
    const { success } = await crib.execute(NAME, { ...SITE, projectPath: '../..' });
    expect([success, site.arrived]).toEqual([false, []]);
  });

  it('says what is missing, keeps the token to itself, and asks a person', async () => {
    const gone = await crib.execute(NAME, { ...SITE, teamId: 'team_gone' });
    expect(gone.error?.code).toBe('NOT_FOUND');
    const poor = await cribWith();
    const { error } = await poor.execute(NAME, SITE);
    expect(error?.code).toBe('AUTH_MISSING');
    expect(error?.suggestions.join()).toContain('https://vercel.com/account/tokens');
    const wrong = await cribWith('vercel_wrong_0123456789');
    const refused = await wrong.execute(NAME, SITE);
    expect(refused.error?.code).toBe('AUTH_MISSING');
    expect(JSON.stringify(refused) + (await trailOf(wrong))).not.toContain('vercel_wrong_0123');
    const strict = await cribWith(VERCEL_KEY, { policy: { version: 1, rules: [] } });
    expect((await strict.execute(NAME, SITE)).status).toBe('pending');
    for (const each of [poor, wrong, strict]) await each.close();
  });
});
