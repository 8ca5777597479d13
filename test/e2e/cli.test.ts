/** The command line from outside: calls, input, errors, exit codes, and what a machine can read. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/contract/result.ts';
import { createProject, type Project } from './run-toolcrib.ts';

let project: Project;
beforeAll(() => {
  project = createProject();
}, 180_000);

const run: Project['run'] = (...args) => project.run(...args);

describe('toolcrib run', () => {
  it('calls a tool and prints its result as JSON', async () => {
    const ended = await run(['run', 'calculator', '{"expression":"sqrt(16)+2^3"}', '--json']);
    const result = ended.json<ToolResult<{ result: unknown }>>();
    expect(result).toMatchObject({ success: true, status: 'success', data: { result: 12 } });
    expect(result.metadata).toMatchObject({ toolName: 'calculator', attempts: 1 });
    expect(ended.code).toBe(0);
  });

  it('prints data on stdout and everything else on stderr', async () => {
    const { code, out, err } = await run(['run', 'calculator', 'expression=1+1']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ result: 2 });
    expect(err).toMatch(/free · execution \S+/);
    const quiet = await run(['run', 'calculator', 'expression=1+1', '--quiet']);
    expect(quiet.err).toBe('');
  });

  it('takes input from stdin, a file and YAML alike', async () => {
    writeFileSync(join(project.folder, 'call.json'), '{"expression":"2*3"}');
    writeFileSync(join(project.folder, 'call.yml'), 'expression: 2*3\n');
    const ways = [
      run(['run', 'calculator', '--json'], { input: '{"expression":"2*3"}' }),
      run(['run', 'calculator', '-', '--json'], { input: '{"expression":"2*3"}' }),
      run(['run', 'calculator', '--input', 'call.json', '--json']),
      run(['run', 'calculator', '--input', 'call.yml', '--json']),
      run(['run', 'calculator', 'expression=2*3', '--json']),
    ];
    for (const ended of await Promise.all(ways)) {
      expect(ended.json()).toMatchObject({ data: { result: 6 } });
    }
  });

  it.each([
    [['run', 'calculator', '{"expression":"2 +* 3"}'], 'VALIDATION_ERROR', 2],
    [['run', 'calculator', '{"expression": }'], 'VALIDATION_ERROR', 2],
    [['run', 'calculator', '{}'], 'VALIDATION_ERROR', 2],
    [['run', 'calculator', 'expression=1', 'nonsense=2'], 'VALIDATION_ERROR', 2],
    [['run', 'calculater', '{"expression":"1"}'], 'TOOL_NOT_FOUND', 2],
    [['run', 'read_file', 'path=missing.txt'], 'NOT_FOUND', 1],
    [['run', 'read_file', 'path=../../etc/passwd'], 'SECURITY_VIOLATION', 3],
    [['run', 'read_file', 'path=.env'], 'PERMISSION_DENIED', 3],
  ])('%j fails with %s and exit code %d', async (args, code, exit) => {
    const machine = await run([...args, '--json']);
    const { error, success, metadata } = machine.json<ToolResult>();
    expect({ code: error?.code, success, exit: machine.code }).toEqual({
      code,
      success: false,
      exit,
    });
    expect(metadata.toolName).toBe(args[1]);
    expect(machine.err).toBe('');
    const human = await run(args);
    expect(human.code).toBe(exit);
    expect(human.out).toBe('');
    expect(human.err).toContain(`✗ ${code}: `);
    expect(human.err).toMatch(/→ .+/);
  });

  it('suggests what to do about a misspelt tool, broken JSON and a missing field', async () => {
    const misspelt = await run(['run', 'calculater', '{}']);
    expect(misspelt.err).toMatch(/calculator/);
    const broken = await run(['run', 'calculator', '{"expression": "1" "x": 2}']);
    expect(broken.err).toContain('line 1, column 20, a comma or "}" is expected');
    const missing = await run(['run', 'calculator', '{}']);
    expect(missing.err).toMatch(/expression: \S+/);
  });

  it('passes every gate in a dry run and changes nothing', async () => {
    const args = ['run', 'write_file', 'path=dry.txt', 'content=x', '--dry-run'];
    const machine = await run([...args, '--json']);
    expect(machine.json()).toMatchObject({ data: { verdict: 'allow', approvalsNeeded: 0 } });
    const human = await run(args);
    expect(human.out).toContain('Nothing was run.');
    expect(existsSync(join(project.folder, 'dry.txt'))).toBe(false);
  });

  it('answers the same idempotency key with the stored result', async () => {
    const args = ['run', 'write_file', 'path=once.txt', 'content=1', '--idempotency-key', 'k1'];
    const first = (await run([...args, '--json'])).json<ToolResult>();
    writeFileSync(join(project.folder, 'once.txt'), 'changed');
    const second = (await run([...args, '--json'])).json<ToolResult>();
    expect(second.data).toEqual(first.data);
    expect(readFileSync(join(project.folder, 'once.txt'), 'utf8')).toBe('changed');
  });

  it('a call that needs approval stays pending when nobody can be asked', async () => {
    writeFileSync(join(project.folder, 'keep.txt'), 'keep');
    const args = ['run', 'file_operations', 'operation=delete', 'path=keep.txt'];
    const machine = await run([...args, '--json']);
    expect(machine.code).toBe(5);
    expect(machine.json()).toMatchObject({
      status: 'pending',
      approval: { approvalId: expect.any(String) },
    });
    const human = await run(args);
    expect(human.code).toBe(5);
    expect(human.err).toContain('--yes');
    expect(human.err).toContain('toolcrib approvals approve');
    expect(existsSync(join(project.folder, 'keep.txt'))).toBe(true);
  });

  it('--yes approves the call', async () => {
    writeFileSync(join(project.folder, 'gone.txt'), 'x');
    const args = ['run', 'file_operations', 'operation=delete', 'path=gone.txt', '--yes'];
    expect((await run(args)).code).toBe(0);
    expect(existsSync(join(project.folder, 'gone.txt'))).toBe(false);
  });

  it('shows control characters escaped', async () => {
    writeFileSync(join(project.folder, 'evil.txt'), 'a\u001b[2Jb\u202ec\rd');
    const human = await run(['run', 'read_file', 'path=evil.txt']);
    expect(human.out).not.toMatch(/\p{Cf}/u);
    expect(human.out).toContain('\\u001b[2Jb\\u202ec\\rd');
    const machine = await run(['run', 'read_file', 'path=evil.txt', '--json']);
    expect(machine.out).not.toMatch(/\p{Cf}/u);
    expect(JSON.stringify(machine.json())).toContain(JSON.stringify('a\u001b[2Jb\u202ec\rd'));
  });
});

describe('toolcrib tools', () => {
  it('lists the tools for people, and with --json for programs', async () => {
    const human = await run(['tools']);
    expect(human.code).toBe(0);
    expect(human.out).toMatch(/✓ +calculator +\[Built-in\] +read_only/);
    expect(human.out).not.toMatch(/~\d+ tokens/);
    const machine = (await run(['tools', '--json'])).json<{ tools: { name: string }[] }>();
    expect(machine.tools.map(({ name }) => name)).toContain('write_file');
  });

  it('never opens the store for a list', async () => {
    const fresh = createProject();
    expect((await fresh.run(['tools'])).code).toBe(0);
    expect(existsSync(join(fresh.folder, '.toolcrib'))).toBe(false);
  });

  it('filters, searches and tolerates typos', async () => {
    const tiers = (await run(['tools', '--tier', 'write', '--json'])).json<{
      tools: { tier: string }[];
    }>();
    expect(new Set(tiers.tools.map(({ tier }) => tier))).toEqual(new Set(['write']));
    const hits = (await run(['tools', 'search', 'calculatr', '--json'])).json<{
      hits: { name: string }[];
    }>();
    expect(hits.hits[0]?.name).toBe('calculator');
    const bad = await run(['tools', '--tier', 'wirte']);
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('read_only, write')]);
  });

  it('counts tokens, with bars and totals', async () => {
    const human = await run(['tools', 'tokens', '--price', '3']);
    expect(human.out).toMatch(/calculator +█+░* +\d+/);
    expect(human.out).toMatch(/\[Built-in\] [\d,]+ tokens\nTotal: [\d,]+ tokens \(~\$/);
    const list = await run(['tools', '--tokens']);
    expect(list.out).toMatch(/~[\d,]+ tokens/);
    expect(list.out).toContain('Total system prompt cost');
  });

  it('shows everything about a tool, with examples that run', async () => {
    const { out } = await run(['tools', 'info', 'calculator']);
    expect(out).toMatch(/expression +string +required/);
    const example = /^ *toolcrib (run calculator '.+')$/m.exec(out)?.[1];
    const input = /^run calculator '(.+)'$/.exec(example ?? '')?.[1] ?? '';
    expect((await run(['run', 'calculator', input.replaceAll(`'\\''`, "'")])).code).toBe(0);
    const unknown = await run(['tools', 'info', 'calculater']);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('calculator')]);
  });

  it('switches a tool off and on again in the project', async () => {
    const fresh = createProject();
    const off = await fresh.run(['tools', 'disable', 'calculator']);
    expect(off.out).toMatch(/✓ Disabled tool: calculator \(-\d+ tokens\)/);
    expect(readFileSync(join(fresh.folder, '.toolcrib/config.yml'), 'utf8')).toContain(
      'enabled: false',
    );
    const refused = await fresh.run(['run', 'calculator', 'expression=1', '--json']);
    expect([refused.code, refused.json<ToolResult>().error?.code]).toEqual([3, 'TOOL_DISABLED']);
    expect((await fresh.run(['tools'])).out).toMatch(/✗ +calculator/);
    const on = await fresh.run(['tools', 'enable', 'calculator']);
    expect(on.out).toMatch(/✓ Enabled tool: calculator \(\+\d+ tokens\)/);
    expect((await fresh.run(['tools', 'enable', 'calculator'])).out).toContain('already enabled');
    expect((await fresh.run(['run', 'calculator', 'expression=1'])).code).toBe(0);
  });

  it('suggests a subcommand for a misspelt one', async () => {
    const { code, err } = await run(['tools', 'lsit']);
    expect([code, err]).toEqual([2, expect.stringContaining('Did you mean list?')]);
  });
});
