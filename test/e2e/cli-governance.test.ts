/** Governance from outside: rules, grants, approvals by link and with another input, and usage. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalRecord } from '../../src/contract/approver.ts';
import type { ApprovalLinks, UsageLine } from '../../src/contract/crib-members.ts';
import type { Grant } from '../../src/contract/grant.ts';
import type { Explanation } from '../../src/contract/policy.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import { openTerminal } from './pseudo-terminal.ts';
import { createQuickProject } from './quick-project.ts';
import { createProject, type Project } from './run-toolcrib.ts';

beforeAll(() => {
  createQuickProject();
}, 180_000);

const deleting = (path: string, ...more: readonly string[]): readonly string[] => [
  'run',
  'file_operations',
  'operation=delete',
  `path=${path}`,
  ...more,
];

const put = (project: Project, name: string, text = 'content'): void =>
  writeFileSync(join(project.folder, name), text);
const isThere = (project: Project, name: string): boolean => existsSync(join(project.folder, name));

/** The user's own rules, in the folder of the user. */
const withPolicy = (text: string): Project => {
  const project = createQuickProject();
  const folder = join(project.home, '.config', 'toolcrib');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'policy.yml'), text);
  return {
    ...project,
    run: (args, options) =>
      project.run(args, { ...options, env: { TOOLCRIB_HOME: folder, ...options?.env } }),
  };
};

const NO_DELETES = `version: 1
rules:
  - name: no-deletes
    effect: deny
    tools: [file_operations]
    actions: [delete]
    reason: Nobody deletes here.
`;

const waitingIn = async (project: Project, name = 'a.txt'): Promise<string> => {
  put(project, name);
  const ended = await project.run(deleting(name, '--json'));
  expect(ended.code).toBe(5);
  return ended.json<ToolResult>().approval?.approvalId ?? '';
};

describe('approvals', () => {
  it('shows who asks, what it touches, the rule and the policy', async () => {
    const project = createQuickProject();
    const id = await waitingIn(project);
    const listed = await project.run(['approvals', 'list']);
    expect(listed.out).toMatch(
      /file_operations +delete · file:\S+a\.txt · .* write +free +\d+ s ago +in \d+ min/,
    );
    expect(listed.out).toContain('user local, agent local, session local');
    const { out } = await project.run(['approvals', 'show', id]);
    for (const part of ['confirm-delicate', '/a.txt', 'State: waiting', 'Judged under policy']) {
      expect(out).toContain(part);
    }
  });

  it('approve prints the very command that resumes the call', async () => {
    const project = createQuickProject();
    const id = await waitingIn(project);
    const { resume } = (await project.run(['approvals', 'approve', id, '--json'])).json<{
      resume: string;
    }>();
    expect(resume).toContain(`--approval ${id}`);
    const [, tool = '', json = ''] = /^toolcrib run (\S+) '(.*)' --approval/.exec(resume) ?? [];
    const resumed = await project.run(['run', tool, json, '--approval', id, '--json']);
    expect(resumed.json<ToolResult>().success).toBe(true);
    expect(isThere(project, 'a.txt')).toBe(false);
  });

  it('approved with another input: that one runs, and both are on record', async () => {
    const project = createQuickProject();
    const id = await waitingIn(project);
    put(project, 'b.txt');
    const input = JSON.stringify({ operation: 'delete', path: 'b.txt' });
    const said = ['approvals', 'approve', id, '--input', input, '--note', 'not that one'];
    expect((await project.run(said)).code).toBe(0);
    const { out } = await project.run(['approvals', 'show', id]);
    expect(out).toContain('- path: "a.txt"');
    expect(out).toContain('+ path: "b.txt"');
    expect(out).toContain('not that one');
    expect((await project.run(deleting('a.txt', '--approval', id))).code).toBe(0);
    expect([isThere(project, 'a.txt'), isThere(project, 'b.txt')]).toEqual([true, false]);
  });

  it('an edited input takes part in validation and in the rules', async () => {
    const project = createQuickProject();
    const id = await waitingIn(project);
    for (const input of ['{"operation":"bogus"}', '{"operation":', '@nowhere.json']) {
      const refused = await project.run(['approvals', 'approve', id, '--input', input, '--json']);
      expect([refused.code, refused.json<ToolResult>().error?.code]).toEqual([
        2,
        'VALIDATION_ERROR',
      ]);
    }
    const [still] = (await project.run(['approvals', '--json'])).json<ApprovalRecord[]>();
    expect(still?.id).toBe(id);
  });

  it('a link answers once, for whoever holds it; a forged one never', async () => {
    const project = createQuickProject();
    const id = await waitingIn(project);
    const shown = await project.run(['approvals', 'link', id]);
    expect(shown.err).toContain('Anybody who has one of these links can answer');
    const links = (await project.run(['approvals', 'link', id, '--json'])).json<ApprovalLinks>();
    const forged = `${links.deny.split('.')[0]}.${links.approve.split('.')[1]}`;
    expect((await project.run(['approvals', 'redeem', forged])).code).toBe(3);
    const redeemed = await project.run(['approvals', 'redeem', links.approve, '--json']);
    expect(redeemed.json()).toMatchObject({ id, approved: true });
    expect((await project.run(['approvals', 'redeem', links.approve])).code).toBe(3);
    expect((await project.run(['approvals', 'redeem', links.deny])).code).toBe(3);
    expect((await project.run(['approvals', 'link', id])).code).toBe(3);
    expect((await project.run(deleting('a.txt', '--approval', id))).code).toBe(0);
  });

  it('for the session, or by pattern: listed, revocable, and no wider than said', async () => {
    const project = createQuickProject();
    const first = await waitingIn(project);
    expect((await project.run(['approvals', 'approve', first, '--session', '--run'])).code).toBe(0);
    put(project, 'b.txt');
    expect((await project.run(deleting('b.txt'))).code).toBe(0);
    const [session] = (await project.run(['permissions', '--json'])).json<Grant[]>();
    await project.run(['permissions', 'revoke', session?.id ?? '']);
    const second = await waitingIn(project, 'c.txt');
    const pattern = ['--pattern', 'input.path.startsWith("c")', '--expires', '7d', '--run'];
    expect((await project.run(['approvals', 'approve', second, ...pattern])).code).toBe(0);
    put(project, 'c2.txt');
    put(project, 'd.txt');
    expect((await project.run(deleting('c2.txt'))).code).toBe(0);
    expect((await project.run(deleting('d.txt'))).code).toBe(5);
    const [grant] = (await project.run(['permissions', '--json'])).json<Grant[]>();
    expect(grant).toMatchObject({ condition: 'input.path.startsWith("c")', skipsApproval: true });
    expect(grant?.expiresAt).toBeGreaterThan(0);
  });

  it('a bad condition is refused, and the question still waits', async () => {
    const project = createQuickProject();
    const id = await waitingIn(project);
    const refused = await project.run(['approvals', 'approve', id, '--pattern', 'inptu.x']);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('character 1');
    expect((await project.run(['approvals'])).out).toContain(id);
  });

  it('an id that nothing has is bad usage', async () => {
    const project = createQuickProject();
    for (const verb of ['show', 'approve', 'deny', 'link']) {
      expect((await project.run(['approvals', verb, 'approval_unknown'])).code).toBe(2);
    }
  });
});

describe('on a terminal', () => {
  it('always allowed by pattern: the very same call is not asked about again, others are', async () => {
    const project = createProject();
    put(project, 'a.txt');
    const terminal = openTerminal(project, deleting('a.txt'), { env: { NO_COLOR: '1' } });
    await terminal.waitFor('Approve this call?');
    terminal.type('p\n');
    await terminal.waitFor('Enter = take it');
    expect(terminal.shown()).toContain('input.path == "a.txt"');
    terminal.type('nonsense.x == 1\n');
    await terminal.waitFor('At character 1');
    terminal.type('\n');
    await terminal.waitFor('always allow that?');
    terminal.type('y\n');
    expect(await terminal.ended()).toBe(0);
    put(project, 'a.txt');
    put(project, 'b.txt');
    expect((await project.run(deleting('a.txt'))).code).toBe(0);
    expect((await project.run(deleting('b.txt'))).code).toBe(5);
  });

  it('edited, then approved: a broken text is told with its place, the difference is shown', async () => {
    const project = createQuickProject();
    for (const name of ['a.txt', 'b.txt']) put(project, name);
    const terminal = openTerminal(project, deleting('a.txt'), { env: { NO_COLOR: '1' } });
    await terminal.waitFor('Approve this call?');
    terminal.type('e\n');
    await terminal.waitFor('new input, as JSON');
    terminal.type('{"path" "b.txt"}\n\n');
    await terminal.waitFor('line 1, column 9');
    terminal.type('{"operation":"delete","path":"b.txt"}\n\n');
    await terminal.waitFor('+ path: "b.txt"');
    await terminal.waitFor('with this input instead');
    terminal.type('y\n');
    expect(await terminal.ended()).toBe(0);
    expect([isThere(project, 'a.txt'), isThere(project, 'b.txt')]).toEqual([true, false]);
  });
});

describe('permissions', () => {
  it('nobody is granted anything by omission', async () => {
    const project = createQuickProject();
    const { code, err } = await project.run(['permissions', 'grant', 'tool:file_operations']);
    expect(code).toBe(2);
    expect(err).toContain('--everyone');
    expect((await project.run(['permissions'])).out).toContain('Nothing is granted');
  });

  it('a grant lets somebody through where its condition holds, until it is revoked', async () => {
    const project = createQuickProject();
    // In a role one holds what roles and grants give, and nothing else.
    const asUser = (name: string) => ['--user', name, '--role', 'guest'];
    for (const name of ['tmp.txt', 'b.txt']) put(project, name);
    const granted = await project.run([
      'permissions',
      'grant',
      'tool:file_operations',
      '--user',
      'bob',
      '--actions',
      'delete',
      '--when',
      'input.path.startsWith("tmp")',
      '--skip-approval',
      '--expires',
      '8h',
      '--json',
    ]);
    const { id } = granted.json<Grant>();
    expect((await project.run(deleting('b.txt', ...asUser('bob')))).code).toBe(3);
    expect((await project.run(deleting('tmp.txt', ...asUser('eve')))).code).toBe(3);
    expect((await project.run(deleting('tmp.txt', ...asUser('bob')))).code).toBe(0);
    put(project, 'tmp.txt');
    const listed = await project.run(['permissions', 'list']);
    expect(listed.out).toMatch(/user bob +tool:file_operations +delete +\d{4}-.+ yes /);
    expect((await project.run(['permissions', 'revoke', id.slice(0, 12)])).code).toBe(0);
    expect((await project.run(deleting('tmp.txt', ...asUser('bob')))).code).toBe(3);
    expect((await project.run(['permissions', 'revoke', id])).code).toBe(2);
  });

  it.each([
    [['tool:a*b', '--everyone'], 'The resource of a grant'],
    [['tool:a', '--user', 'bob', '--everyone'], '--everyone does not go'],
    [['tool:calculator', '--user', 'bob', '--when', 'input.'], 'The condition'],
    [['tool:calculator', '--user', 'bob', '--expires', '2020-01-01'], 'in the past'],
    [['tool:calculator', '--user', ' '], 'empty user'],
  ])('%j is refused: %s', async (args, message) => {
    const { code, err } = await createQuickProject().run(['permissions', 'grant', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('policy', () => {
  it('a rule of the user decides, and a refusal says how to find out why', async () => {
    const project = withPolicy(NO_DELETES);
    put(project, 'a.txt');
    const refused = await project.run(deleting('a.txt', '--yes'));
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('Nobody deletes here. (rule no-deletes)');
    expect(refused.err).toContain('toolcrib policy explain file_operations');
    expect(isThere(project, 'a.txt')).toBe(true);
    const asked = ['policy', 'explain', 'file_operations', 'operation=delete', 'path=a.txt'];
    const { out } = await project.run(asked);
    expect(out).toMatch(/rule +no-deletes \(.*policy\.yml:3\)/);
    const { verdict, considered } = (await project.run([...asked, '--json'])).json<Explanation>();
    expect(verdict).toMatchObject({ effect: 'deny', rule: 'no-deletes' });
    expect(considered.find(({ rule }) => rule === 'confirm-delicate')?.matched).toBe(true);
  });

  it('explain says what is wrong with the call first', async () => {
    const project = createQuickProject();
    expect((await project.run(['policy', 'explain', 'nobody'])).code).toBe(2);
    expect((await project.run(['policy', 'explain', 'read_file', 'nonsense=1'])).code).toBe(2);
  });

  it('check names every problem with its line, and nothing starts before', async () => {
    const bad = `version: 1
rules:
  - name: a
    effect: denny
  - name: b
    effect: deny
    when: "input.x =="
`;
    const project = withPolicy(bad);
    const checked = await project.run(['policy', 'check']);
    expect(checked.code).toBe(2);
    expect(checked.err).toMatch(/policy\.yml:4:\d+: rule a: effect/);
    expect(checked.err).toMatch(/policy\.yml:7:\d+: rule b: when/);
    expect((await project.run(['run', 'calculator', 'expression=1'])).code).toBe(2);
    const json = await project.run(['policy', 'check', '--json']);
    expect(json.json<{ ok: boolean; problems: string[] }>().problems).toHaveLength(2);
    const good = withPolicy(NO_DELETES);
    expect((await good.run(['policy', 'check'])).out).toContain('1 file of rules, all sound');
    expect((await createQuickProject().run(['policy'])).out).toContain('the default rules apply');
  });

  it('test runs the cases of a file and fails with them', async () => {
    const project = withPolicy(NO_DELETES);
    const cases = (expect: string) => `tests:
  - name: nobody deletes
    call: { tool: file_operations, input: { operation: delete, path: a } }
    expect: ${expect}
    rule: no-deletes
`;
    put(project, 'good.yml', cases('deny'));
    put(project, 'bad.yml', cases('allow'));
    const passed = await project.run(['policy', 'test', 'good.yml']);
    expect([passed.code, passed.out]).toEqual([0, expect.stringContaining('✓ nobody deletes')]);
    const failed = await project.run(['policy', 'test', 'bad.yml']);
    expect([failed.code, failed.out]).toEqual([1, expect.stringContaining('got deny')]);
    put(project, 'open.yml', 'version: 1\n');
    const other = await project.run(['policy', 'test', 'good.yml', '--policy', 'open.yml']);
    expect(other.code).toBe(1);
    expect((await project.run(['policy', 'test', 'missing.yml'])).code).toBe(2);
  });

  it('replay finds the calls that new rules would judge otherwise', async () => {
    const project = createQuickProject();
    put(project, 'a.txt');
    await project.run(['run', 'read_file', 'path=a.txt']);
    await project.run(['run', 'calculator', 'expression=1']);
    expect((await project.run(['policy', 'replay'])).out).toContain('2 calls judged, 0 would');
    const reads = NO_DELETES.replace('[file_operations]', '[read_file]').replace(
      '    actions: [delete]\n',
      '',
    );
    put(project, 'new.yml', reads);
    const replayed = await project.run(['policy', 'replay', '--policy', 'new.yml', '--json']);
    expect(replayed.json()).toMatchObject({
      judged: 2,
      changes: [{ tool: 'read_file', before: { effect: 'allow' }, after: { rule: 'no-deletes' } }],
    });
    const human = await project.run(['policy', 'replay', '--policy', 'new.yml', '--since', '1h']);
    expect(human.out).toMatch(/read_file +local +allow +deny +no-deletes/);
    expect(human.err).toContain('redacted');
  });

  it('shadow rules stop nothing, and what they would have stopped is listed', async () => {
    const project = withPolicy(
      NO_DELETES.replace('effect: deny', 'effect: deny\n    shadow: true'),
    );
    put(project, 'a.txt');
    expect((await project.run(['policy', 'shadow'])).out).toContain('No rule in shadow mode');
    expect((await project.run(deleting('a.txt', '--yes'))).code).toBe(0);
    const { out } = await project.run(['policy', 'shadow', '--since', '1h']);
    expect(out).toMatch(/file_operations +local +deny +no-deletes +Nobody deletes here/);
  });
});

describe('usage', () => {
  it('says that nothing was spent, and how many calls there were', async () => {
    const project = createQuickProject();
    expect((await project.run(['usage'])).out).toContain('no call was made');
    await project.run(['run', 'calculator', 'expression=1']);
    const { out } = await project.run(['usage']);
    expect(out).toContain('$0 of $10');
    expect(out).toMatch(/calculator +no limit +\$0 +1 /);
    expect((await project.run(['usage', '--period', 'yesterday'])).code).toBe(2);
    expect((await project.run(['usage', '--period', '2020-01'])).out).toContain('no call was made');
  });

  it('draws a bar against a limit, and stops at it', async () => {
    const project = createQuickProject();
    const env = { TOOLCRIB_BUDGET_DAILY_CALLS: '2' };
    const used = async () =>
      (await project.run(['usage', '--json'], { env })).json<{ lines: UsageLine[] }>().lines;
    for (const expression of ['1', '2']) {
      await project.run(['run', 'calculator', `expression=${expression}`], { env });
    }
    expect((await project.run(['run', 'calculator', 'expression=3'], { env })).code).toBe(3);
    const user = (await used()).find(({ kind }) => kind === 'user');
    expect(user).toMatchObject({ name: 'local', calls: 2, limit: { calls: 2 } });
    const { out } = await project.run(['usage'], { env });
    expect(out).toMatch(/local +█{20} 100 % +\$0 of \$10 +2 of 2/);
    expect((await project.run(['usage', '--period', 'all'], { env })).out).toContain('so far');
  });
});

describe('--json prints one document and nothing else', () => {
  it.each([
    'permissions',
    'permissions grant tool:x',
    'permissions revoke nobody',
    'approvals link nobody',
    'approvals redeem nonsense',
    'policy',
    'policy explain calculator expression=1',
    'policy test nobody.yml',
    'policy replay',
    'policy shadow',
    'usage',
    'usage --period never',
  ])('%s', async (line) => {
    const ended = await createQuickProject().run([...line.split(' '), '--json']);
    expect(ended.json()).toBeTypeOf('object');
    expect(ended.err).toBe('');
  });
});

it('a folder that never saw Toolcrib is left as it was by commands that only look', async () => {
  const project = createQuickProject();
  await project.run(['policy', 'check']);
  expect(isThere(project, '.toolcrib')).toBe(false);
});
