/** The command line as a program among programs: version, help, completion, pipes, machine output. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProject, type Project } from './run-toolcrib.ts';

let project: Project;
beforeAll(() => {
  project = createProject();
}, 180_000);

const run: Project['run'] = (...args) => project.run(...args);
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('version and help', () => {
  it('prints the version and nothing else', async () => {
    const { code, out, err } = await run(['--version']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run(['--json', '--version'])).json()).toEqual({ version: out.trim() });
  });

  it('prints help on stdout with exit code 0', async () => {
    for (const args of [[], ['--help'], ['help'], ['run', '--help'], ['help', 'tools', 'info']]) {
      const { code, out, err } = await run(args);
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('Usage: toolcrib');
      expect(out).toContain('Examples:');
    }
  });

  it('answers bad usage with exit code 2 and a hint', async () => {
    const { code, out, err } = await run(['rnu']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('Did you mean run?');
  });
});

describe('--json prints one document and nothing else, whatever happens', () => {
  it.each([
    'tools',
    'tools tokens',
    'tools info calculator',
    'tools info nobody',
    'tools search file',
    'tools enable calculator',
    'tools lsit',
    'audit',
    'store migrate',
    'audit verify',
    'audit show nobody',
    'undo nobody --yes',
    'undo nobody',
    'doctor',
    'init',
    'run calculator expression=1',
    'run calculator {',
    'run nobody',
    'run',
    'nonsense',
  ])('%s', async (line) => {
    const ended = await run([...line.split(' '), '--json'], { env: { FORCE_COLOR: '1' } });
    expect(ended.json()).toBeTypeOf('object');
    expect(ended.err).toBe('');
  });
});

describe('pipes', () => {
  it('a reader that closes the pipe early causes no error', async () => {
    const script = `"$1" "$2" tools info write_file --json | head -c 10; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', script, '-', process.execPath, project.cli],
      {
        cwd: project.folder,
        env: project.env,
        encoding: 'utf8',
      },
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/0\n$/);
  });

  it('says that it waits for stdin, and stops at once on Ctrl-C', async () => {
    const child = project.start(['run', 'calculator']);
    let err = '';
    child.stderr?.on('data', (chunk) => {
      err += String(chunk);
    });
    await new Promise<void>((resolve) => {
      child.stderr?.once('data', () => resolve());
    });
    expect(err).toContain('Waiting for JSON on stdin');
    child.kill('SIGINT');
    const [code, signal] = await new Promise<readonly unknown[]>((resolve) => {
      child.once('close', (...end) => resolve(end));
    });
    expect(code === 4 || signal === 'SIGINT').toBe(true);
  });
});

describe('completion', () => {
  const scriptOf = async (shell: string): Promise<string> => {
    const { code, out } = await run(['completion', shell]);
    expect(code).toBe(0);
    const file = join(project.folder, `completion.${shell}`);
    writeFileSync(file, out);
    return file;
  };

  it('bash: the script parses, and offers commands, options and tools', async () => {
    const file = await scriptOf('bash');
    expect(spawnSync('bash', ['-n', file]).status).toBe(0);
    const complete = (...words: readonly string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const source = `toolcrib() { "${process.execPath}" "${project.cli}" "$@"; }
        source '${file}'; COMP_WORDS=(toolcrib ${line}); COMP_CWORD=${words.length}
        _toolcrib; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', source], {
        cwd: project.folder,
        env: project.env,
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      return stdout.trim().split('\n');
    };
    expect(complete('t')).toEqual(['tools', 'top', 'tokens', 'team', 'trust']);
    expect(complete('tools', 'i')).toEqual(['info']);
    expect(complete('run', '--dry')).toEqual(['--dry-run']);
    expect(complete('tools', '--ti')).toEqual(['--tier']);
    expect(complete('run', 'calc')).toEqual(['calculator']);
    expect(complete('tools', 'info', 'write')).toEqual(['write_file']);
    expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(complete('audit', 'list', '--user', '')).toEqual(['']);
  });

  it.each(['zsh', 'fish'])('%s: the script parses where that shell is installed', async (shell) => {
    const file = await scriptOf(shell);
    const { out } = await run(['completion', shell]);
    expect(out).toContain('toolcrib tools list --names');
    expect(out).toContain('dry-run');
    if (has(shell)) expect(spawnSync(shell, ['-n', file]).status).toBe(0);
  });
});

describe('start-up', () => {
  /** The files that a run loads, by their addresses. */
  const loadedBy = (...args: readonly string[]): readonly string[] => {
    const { cli, env, folder } = createProject();
    const hook = `export const load = (url, context, next) => {
      process._rawDebug('LOADED ' + url); return next(url, context); }`;
    const source = `import { register } from 'node:module';
      register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`;
    const preload = `data:text/javascript,${encodeURIComponent(source)}`;
    const { stderr } = spawnSync(process.execPath, ['--import', preload, cli, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return [...stderr.matchAll(/^LOADED (file:.*)$/gm)].map((match) => match[1] ?? '');
  };

  it('loads nothing for --version, and no library that a list of tools does not need', () => {
    expect(loadedBy('--version')).toHaveLength(1);
    const loaded = loadedBy('tools');
    expect(loaded.some((url) => url.includes('/tools-list'))).toBe(true);
    const heavy =
      /(@photostructure|ajv|gpt-|jsonrepair|luxon|mathjs|re2js|wink|yaml|sqlite|open-engine|engine)/;
    const ours = loaded.map((url) => url.slice(url.lastIndexOf('/node_modules/')));
    expect(ours.filter((url) => heavy.test(url))).toEqual([]);
  });
});
