/** The flow commands of the built program: in pipes, on a terminal, killed and continued. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTerminal } from './pseudo-terminal.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

const SLOW = 120_000;

/** Adds, waits for a person, then writes a file. */
const SAVE = `name: save
version: 1.0.0
description: Saves a sum.
input: { type: object, properties: { a: { type: number } }, required: [a], additionalProperties: false }
steps:
  - { id: sum, call: calculator, input: { expression: { cel: "string(input.a) + ' + 2'" } } }
  - { id: sure, approve: Save the sum? }
  - { id: write, call: write_file, input: { path: out.txt, content: { cel: "string(steps.sum.data.result)" } } }
output: { from: steps.sum.data.result }
`;
const WAIT = `name: wait
version: 1.0.0
steps:
  - { id: sum, call: calculator, input: { expression: 1 + 1 } }
  - { id: paid, waitFor: paid }
`;
const BAD = `name: bad
version: 1.0.0
steps:
  - { id: one, call: calculatr, input: {} }
`;

const flowProject = async (): Promise<Project> => {
  const project = createQuickProject();
  const folder = join(project.folder, '.toolcrib', 'flows');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'save.yml'), SAVE);
  writeFileSync(join(folder, 'wait.yml'), WAIT);
  await project.run(['trust', '--yes']);
  return project;
};

beforeAll(() => {
  createQuickProject();
}, 180_000);

interface Started {
  readonly run: { readonly id: string; readonly status: string; readonly output?: unknown };
  readonly waitsFor: readonly string[];
}

describe('flows in scripts', { timeout: SLOW }, () => {
  it('a run waits for a person with exit code 5, and is resumed after the answer', async () => {
    const project = await flowProject();
    const args = ['flow', 'run', 'save', 'a=3', '--id', 'monday', '--json'];
    const started = await project.run(args);
    expect(started.code).toBe(5);
    const { run, waitsFor } = started.json<Started>();
    expect(run).toMatchObject({ id: 'monday', status: 'waiting' });
    expect(existsSync(join(project.folder, 'out.txt'))).toBe(false);
    const [approval = ''] = waitsFor;
    expect((await project.run(['approvals', 'approve', approval])).code).toBe(0);
    const resumed = await project.run(['flow', 'resume', 'monday', '--yes', '--json']);
    expect(resumed.code).toBe(0);
    expect(resumed.json<Started>().run).toMatchObject({ status: 'completed', output: 5 });
    expect(readFileSync(join(project.folder, 'out.txt'), 'utf8')).toBe('5');
    const { steps } = (await project.run(['flow', 'steps', 'monday', '--json'])).json<{
      steps: { key: string; state: string }[];
    }>();
    expect(steps.map(({ key, state }) => `${key} ${state}`)).toEqual([
      'sum done',
      'sure done',
      'write done',
    ]);
    expect((await project.run(['flow', 'cancel', 'monday'])).err).toContain('CONFLICT');
  });

  it('a run with a time limit that waits for a person ends at once with exit code 5', async () => {
    const project = await flowProject();
    const limited = SAVE.replace('name: save', 'name: limited').concat(
      'limits: { timeoutMs: 3600000 }\n',
    );
    writeFileSync(join(project.folder, '.toolcrib', 'flows', 'limited.yml'), limited);
    const unknown = await project.run(['flow', 'plan', 'limited', 'a=3']);
    expect(unknown.err).toContain('limited.yml is there, but not trusted as it is: toolcrib trust');
    const checked = await project.run(['flow', 'validate', '.toolcrib/flows/limited.yml']);
    expect(checked.out).toContain('It counts once you trust it: toolcrib trust');
    await project.run(['trust', '--yes']);
    const started = await project.run(['flow', 'run', 'limited', 'a=3', '--id', 'noon', '--json']);
    expect(started.code).toBe(5);
    const [approval = ''] = started.json<Started>().waitsFor;
    const approved = await project.run(['approvals', 'approve', approval]);
    expect(approved.err).toContain('toolcrib flow resume noon');
  });

  it('bad input, an unknown flow and a flow with faults are exit code 2', async () => {
    const project = await flowProject();
    expect(await project.run(['flow', 'run', 'save', 'a=x'])).toMatchObject({ code: 2 });
    const unknown = await project.run(['flow', 'run', 'sav']);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('did you mean save');
    writeFileSync(join(project.folder, 'bad.yml'), BAD);
    const faults = await project.run(['flow', 'validate', 'bad.yml']);
    expect(faults.code).toBe(2);
    expect(faults.out).toMatch(/bad\.yml:4:\d+ .*did you mean calculator/);
    const planned = await project.run(['flow', 'plan', './bad.yml']);
    expect([planned.code, planned.out]).toEqual([
      2,
      expect.stringMatching(/^✗ 4:\d+ .*did you mean/),
    ]);
  });

  it('a run of a file, or of a flow whose file has a fault, is told what to do', async () => {
    const project = await flowProject();
    const file = '.toolcrib/flows/lame.yml';
    const steps = ['steps:', '  - { id: a, sleepMs: -1 }'];
    writeFileSync(
      join(project.folder, file),
      ['name: lame', 'version: 1.0.0', ...steps, ''].join('\n'),
    );
    await project.run(['trust', '--yes']);
    const ofFile = await project.run(['flow', 'run', file]);
    expect([ofFile.code, ofFile.err]).toEqual([2, expect.stringContaining('Name the flow')]);
    const faulty = await project.run(['flow', 'run', 'lame']);
    expect(faulty.err).toContain(`Its file is left out: lame.yml:4:`);
  });

  it('a flow is planned and drawn without running', async () => {
    const project = await flowProject();
    const plan = await project.run(['flow', 'plan', 'save', 'a=3']);
    expect(plan.code).toBe(0);
    expect(plan.out).toMatch(/asks +sure: Save the sum\?/);
    const drawn = await project.run(['flow', 'graph', 'save', '--format', 'svg']);
    expect(drawn.out).toMatch(/^<svg [\s\S]*sum: calculator[\s\S]*<\/svg>\n$/);
    expect((await project.run(['flow', 'runs'])).out).toContain('There are no runs.');
  });

  it('a plan is put to a person under the name and version that were typed, and never from a file', async () => {
    const project = await flowProject();
    const asked = await project.run(['flow', 'plan', 'save@1.0.0', 'a=3', '--approve']);
    expect([asked.code, asked.out], asked.err).toEqual([5, expect.stringContaining('Decide:')]);
    const file = '.toolcrib/flows/save.yml';
    const refused = await project.run(['flow', 'plan', file, 'a=3', '--approve']);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(refused.err).toContain('--approve takes the name of a flow');
  });

  it('a run that is moved to a version that nobody has here is one document of JSON', async () => {
    const project = await flowProject();
    const { run } = (await project.run(['flow', 'run', 'save', 'a=3', '--json'])).json<Started>();
    const args = ['flow', 'resume', run.id, '--version', '9.0.0', '--json'];
    const refused = await project.run(args);
    expect([refused.code, refused.out]).toEqual([2, expect.stringContaining('1.0.0')]);
    rmSync(join(project.folder, '.toolcrib/flows/save.yml'));
    const resumed = await project.run(args);
    expect(resumed.code).toBe(5);
    expect(resumed.json()).toMatchObject({
      run: { id: run.id },
      waitsFor: [],
      missingVersion: true,
    });
  });

  it('a flow is optimized, and the file stays as it is', async () => {
    const project = await flowProject();
    const sum = (id: string, expression: string) =>
      `  - { id: ${id}, call: calculator, input: { expression: ${expression} } }\n`;
    const steps = `${sum('one', '1 + 1')}${sum('same', '1 + 1')}${sum('other', '2 + 2')}`;
    const text = `name: sums\nversion: 1.0.0\nsteps:\n${steps}`;
    const file = join(project.folder, 'sums.yml');
    writeFileSync(file, text);
    const { code, out, err } = await project.run(['flow', 'optimize', 'sums.yml']);
    expect(code).toBe(0);
    expect(out).toContain('kind: dag');
    expect(out).not.toContain('id: same');
    expect(err).toContain('Saves 1 call');
    expect(readFileSync(file, 'utf8')).toBe(text);
    writeFileSync(join(project.folder, 'better.yml'), out);
    expect((await project.run(['flow', 'validate', 'better.yml'])).code).toBe(0);
    const same = await project.run(['flow', 'optimize', 'better.yml', '--json']);
    expect(same.json<{ changes: unknown[] }>().changes).toEqual([]);
  });

  it('an event that the run does not wait for is sent, with a hint at the one it waits for', async () => {
    const project = await flowProject();
    const child = project.start(['flow', 'run', 'wait', '--id', 'payed']);
    child.stdin?.end();
    const gone = new Promise((resolve) => child.on('close', resolve));
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (chunk) => String(chunk).includes('waits for the') && resolve());
    });
    child.kill('SIGTERM');
    await gone;
    const other = await project.run(['flow', 'send', 'payed', 'payed', '{"n":7}']);
    expect([other.code, other.out]).toEqual([0, expect.stringContaining('Sent to wait.')]);
    expect(other.err).toContain('The run waits for paid, not for payed');
    const right = await project.run(['flow', 'send', 'payed', 'paid']);
    expect([right.code, right.err]).toEqual([0, expect.not.stringContaining('not for')]);
  });

  it('flows that use tools of a module are validated and optimized with it', async () => {
    const project = await flowProject();
    const tool = `{ name: 'mine', description: 'Mine.', tier: 'read_only', input: { type: 'object' }, run: () => 1 }`;
    writeFileSync(
      join(project.folder, 'tools.mjs'),
      `import { defineTool } from ${JSON.stringify(join(process.cwd(), 'dist/index.js'))};\nexport const mine = defineTool(${tool});\n`,
    );
    const steps =
      '  - { id: one, call: mine, input: {} }\n  - { id: two, call: mine, input: { a: 1 } }\n';
    writeFileSync(join(project.folder, 'own.yml'), `name: own\nversion: 1.0.0\nsteps:\n${steps}`);
    expect((await project.run(['flow', 'validate', 'own.yml'])).code).toBe(2);
    for (const command of ['validate', 'optimize']) {
      const { code, err } = await project.run([
        'flow',
        command,
        'own.yml',
        '--module',
        'tools.mjs',
      ]);
      expect(code, err).toBe(0);
    }
  });

  it('threat: a question of a flow file cannot command the terminal', async () => {
    const project = await flowProject();
    const question = String.raw`"Sure?\e[2J\e]0;owned\a"`;
    const file = join(project.folder, 'odd.yml');
    writeFileSync(
      file,
      `name: odd\nversion: 1.0.0\nsteps:\n  - { id: ask, approve: ${question} }\n`,
    );
    const plan = await project.run(['flow', 'plan', file]);
    expect(plan.out).toContain('Sure?');
    expect(plan.out).not.toMatch(/\p{Cc}(?<!\n)/u);
  });

  it('a run that was killed goes on in another process, with the event it waits for', async () => {
    const project = await flowProject();
    const child = project.start(['flow', 'run', 'wait', '--id', 'killed']);
    child.stdin?.end();
    let shown = '';
    const isWaiting = new Promise<void>((resolve) => {
      child.stderr?.on('data', (chunk) => {
        shown += String(chunk);
        if (shown.includes('waits for the event')) resolve();
      });
    });
    await isWaiting;
    const gone = new Promise((resolve) => child.on('close', resolve));
    child.kill('SIGKILL');
    await gone;
    expect((await project.run(['flow', 'send', 'killed', 'paid', '{"n":7}'])).code).toBe(0);
    const resumed = await project.run(['flow', 'resume', 'killed', '--json']);
    expect(resumed.json<Started>().run).toMatchObject({ status: 'completed', output: { n: 7 } });
  });
});

describe('flows as code', { timeout: SLOW }, () => {
  it('a module named on the command line brings them; one without a flow is refused', async () => {
    const project = createQuickProject();
    const flow = `{ name: 'double', version: '1.0.0', run: (flow, { n }) =>
      flow.call('calculator', { expression: \`\${n} * 2\` }).then(({ result }) => result) }`;
    writeFileSync(join(project.folder, 'flows.mjs'), `export const double = ${flow};`);
    writeFileSync(join(project.folder, 'none.mjs'), 'export const x = 1;');
    const ended = await project.run(['flow', 'run', 'double', 'n:=21', '--module', 'flows.mjs']);
    expect(ended).toMatchObject({ code: 0, out: '42\n' });
    const refused = await project.run(['flow', 'list', '--module', 'none.mjs']);
    expect(refused.err).toContain('exports no flow');
    expect(refused.code).not.toBe(0);
  });

  it('the command that continues a run names its module; without it the module is asked for', async () => {
    const project = createQuickProject();
    const flow = `{ name: 'ask', version: '1.0.0', run: (flow) => flow.waitForApproval('Go on?') }`;
    writeFileSync(join(project.folder, 'my flows.mjs'), `export const ask = ${flow};`);
    const resume = `toolcrib flow resume 'run 7'`;
    const start = ['flow', 'run', 'ask', '--id', 'run 7', '--module', 'my flows.mjs'];
    const left = await project.run(start);
    expect(left.code).toBe(5);
    expect(left.err).toContain(`Continue it: ${resume} --module 'my flows.mjs'`);
    const unknown = await project.run(['flow', 'resume', 'run 7']);
    expect(unknown.code).toBe(5);
    expect(unknown.err).toContain(`Name the module that brings it: ${resume} --module <file>`);
  });
});

describe('a flow that starts another one whose run is blocked', { timeout: SLOW }, () => {
  // In the replay after its sleep the code takes another step than the journal has.
  const MODULE = `let turns = 0;
    export const inner = { name: 'inner', version: '1.0.0', run: async (flow) => {
      turns += 1;
      await (turns === 1 ? flow.sleep(300) : flow.waitForEvent('paid'));
    } };
    export const outer = { name: 'outer', version: '1.0.0', run: (flow) => flow.child(inner, {}) };
    export const both = { name: 'both', version: '1.0.0', run: (flow) =>
      flow.all([() => flow.child(inner, {}), () => flow.waitForApproval('Go on?')]) };`;

  it('ends with exit code 5, names the blocked run and how to continue it', async () => {
    const project = createQuickProject();
    writeFileSync(join(project.folder, 'flows.mjs'), MODULE);
    const ended = await project.run([
      'flow',
      'run',
      'outer',
      '--module',
      'flows.mjs',
      '--id',
      'top',
    ]);
    expect(ended.code).toBe(5);
    expect(ended.err).toMatch(/The run (top\.\S+) is blocked: .*\n.*toolcrib flow resume \1/);
  });

  it('names the open question beside it', async () => {
    const project = createQuickProject();
    writeFileSync(join(project.folder, 'flows.mjs'), MODULE);
    const args = ['flow', 'run', 'both', '--module', 'flows.mjs', '--id', 'top', '--json'];
    const { code, out } = await project.run(args);
    const { waitsFor, blocked } = JSON.parse(out) as Record<string, string[]>;
    expect([code, waitsFor?.length, blocked]).toEqual([5, 1, [expect.stringContaining('top.')]]);
  });
});

describe('flows on a terminal', { timeout: SLOW }, () => {
  it('asks the person inline and shows the tree of steps', async () => {
    const project = await flowProject();
    const terminal = openTerminal(project, ['flow', 'run', 'save', 'a=3']);
    await terminal.waitFor('Save the sum?');
    await terminal.waitFor('Approve this call?');
    terminal.type('y\n');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.shown()).toMatch(/✓.* write: write_file/);
    expect(readFileSync(join(project.folder, 'out.txt'), 'utf8')).toBe('5');
  });

  it('a person who denies a plan ends the command as one who denies a call: exit code 3', async () => {
    const terminal = openTerminal(await flowProject(), [
      'flow',
      'plan',
      'save',
      'a=3',
      '--approve',
    ]);
    await terminal.waitFor('Approve');
    terminal.type('n\n');
    expect(await terminal.ended()).toBe(3);
    expect(terminal.shown()).toContain('The plan was denied.');
  });

  it('Ctrl-C leaves the run on record and says how to resume it', async () => {
    const project = await flowProject();
    const terminal = openTerminal(project, ['flow', 'run', 'wait', '--id', 'left']);
    await terminal.waitFor('waits for the event');
    terminal.type('\u0003');
    expect(await terminal.ended()).toBe(4);
    expect(terminal.shown()).toContain('toolcrib flow resume left');
    const { status } = (await project.run(['flow', 'status', 'left', '--json'])).json();
    expect(status).toBe('waiting');
  });
});
