import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../test/fixtures/fake-io.ts';
import { COMMANDS } from './command-table.ts';
import { runCli } from './run-cli.ts';

const run = async (...args: readonly string[]) => {
  const { io, out, err } = fakeIo({ json: args.includes('--json') });
  const code = await runCli(args, io);
  return { code, out: out(), err: err() };
};

describe('runCli', () => {
  it('prints the help without a command', async () => {
    const { code, out, err } = await run();
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out).toContain(name);
    expect(out).toContain('Exit codes');
    expect(err).toBe('');
  });

  it.each([['--version'], ['-V'], ['--json', '--version']])(
    'prints the version for %j',
    async (...args) => {
      const { code, out } = await run(...args);
      expect(code).toBe(0);
      expect(out).toMatch(/\d+\.\d+\.\d+/);
    },
  );

  it.each(COMMANDS.map(({ name }) => name))('%s explains itself with an example', async (name) => {
    const { code, out } = await run(name, '--help');
    expect(code).toBe(0);
    expect(out).toContain(`Usage: toolcrib ${name}`);
    expect(out).toContain('Examples:');
    expect((await run('help', name)).out).toBe(out);
  });

  it.each([
    [['rnu'], "unknown command 'rnu'", 'Did you mean run?'],
    [['run', 'x', '--jsn'], "unknown option '--jsn'", 'Did you mean --json?'],
    [['run'], "missing required argument 'tool'", 'toolcrib run --help'],
    [['tools', 'info'], "missing required argument 'name'", 'toolcrib tools info --help'],
    [['jobs', 'add'], "missing required argument 'type'", 'toolcrib jobs add --help'],
    [['--json=x', 'run', 'usage', '--jsn'], 'unknown option', 'toolcrib run --help'],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish', 'toolcrib completion --help'],
    [['--jsn'], "unknown option '--jsn'", 'toolcrib --help'],
    [['run', 'x', '--timeout', 'soon'], '--timeout takes a whole number', 'VALIDATION_ERROR'],
  ])('%j is bad usage', async (args, message, hint) => {
    const { code, out, err } = await run(...args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(message);
    expect(err).toContain(hint);
  });

  it('bad usage is one JSON document with --json', async () => {
    const { code, out, err } = await run('rnu', '--json');
    expect(code).toBe(2);
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({
      success: false,
      error: { code: 'VALIDATION_ERROR', message: "unknown command 'rnu'" },
    });
  });
});
