/** What `toolcrib init` writes, and that agents can run the tests, builds and commits it allows. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isMissing } from '../fixtures/needed-programs.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

beforeAll(() => {
  createQuickProject();
}, 180_000);

const missing = isMissing('bwrap');

const git = (project: Project, ...args: readonly string[]): string =>
  execFileSync('git', [...args], { cwd: project.folder, env: project.env, encoding: 'utf8' });

const createNodeProject = (): Project => {
  const project = createQuickProject();
  const put = (name: string, text: string): void => writeFileSync(join(project.folder, name), text);
  const scripts = { test: 'node -e "console.log(6*7)"' };
  put('package.json', JSON.stringify({ name: 'a', scripts, devDependencies: { vitest: '4' } }));
  put('Makefile', 'all:\n\t@echo made\ntest:\n\t@echo tested\n');
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'config', 'user.email', 'a@example.com');
  git(project, 'config', 'user.name', 'A');
  git(project, 'remote', 'add', 'origin', 'https://git.example.com/a/b.git');
  return project;
};

const bash = async (project: Project, command: string) => {
  const input = JSON.stringify({ command });
  const ended = await project.run(['run', 'bash_execution', input, '--yes', '--json']);
  return { ...ended, data: ended.json<{ data?: { stdout: string } }>().data };
};

describe('toolcrib init, built', { timeout: 180_000 }, () => {
  it('writes a short configuration that says nothing of what is not built', async () => {
    const project = createQuickProject();
    expect((await project.run(['init'])).code).toBe(0);
    const text = readFileSync(join(project.folder, '.toolcrib/config.yml'), 'utf8');
    expect(text.split('\n').length).toBeLessThan(20);
    expect(text).not.toContain('Not built yet');
    const run = await project.run(['run', 'calculator', 'expression=1', '--quiet']);
    expect([run.code, run.err]).toEqual([0, '']);
  });

  it.each([[], ['--full']])(
    'writes nothing that is warned of where the user has set less: init %s',
    async (...more) => {
      const project = createQuickProject();
      const home = join(project.home, '.config/toolcrib');
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, 'config.yml'), 'budget: { dailyUsd: 2 }\n');
      await project.run(['init', ...more]);
      const run = await project.run(['run', 'calculator', 'expression=1', '--quiet']);
      expect([run.code, run.err]).toEqual([0, '']);
    },
  );

  it('names the commands of the folder without a terminal, and allows none of them', async () => {
    const project = createNodeProject();
    const init = await project.run(['init']);
    expect(init.err).toContain('  npm test\n');
    expect(init.err).toContain('To allow them: toolcrib init --tasks');
    expect(existsSync(join(project.home, '.config/toolcrib/config.yml'))).toBe(false);
  });

  it('keeps the tasks that the user has, and adds each one once', async () => {
    const project = createNodeProject();
    const env = { TOOLCRIB_HOME: join(project.home, 'own') };
    await project.run(['servers', 'add', 'x', '--', 'true'], { env });
    const file = join(project.home, 'own/config.yml');
    const own = 'commands:\n  allow: [ls]\n  tasks:\n    - run: ./check.sh\n';
    writeFileSync(file, `${readFileSync(file, 'utf8')}${own}`);
    for (let times = 0; times < 2; times += 1) {
      expect((await project.run(['init', '--tasks'], { env })).code).toBe(0);
    }
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('./check.sh');
    expect(text.match(/npm test/g)).toHaveLength(1);
    expect(text.match(/npx vitest run/g)).toHaveLength(1);
    expect(text).toMatch(/git push origin main[\s\S]*git\.example\.com/);
    expect(text).toContain('ls');
  });

  it.skipIf(missing)(
    'lets npm test, make and git commit run, with nothing to warn of',
    async () => {
      const project = createNodeProject();
      expect((await project.run(['init', '--tasks'])).code).toBe(0);
      const test = await bash(project, 'npm test');
      expect([test.code, test.err]).toEqual([0, '']);
      expect(test.data?.stdout).toContain('42');
      expect((await bash(project, 'make test')).data?.stdout).toBe('tested\n');
      expect((await bash(project, 'git add Makefile package.json')).code).toBe(0);
      expect((await bash(project, 'git commit -m Work')).code).toBe(0);
      expect(git(project, 'log', '--format=%s')).toBe('Work\n');
    },
  );
});
