/** Runs the built program in a folder of its own, as a person or a script would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtCli } from './built-cli.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** The document of `--json`; throws when stdout is anything else. */
  json<T = Record<string, unknown>>(): T;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A clean environment: no settings, colours or home of whoever runs the tests. */
const environment = (home: string, extra: RunOptions['env']): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  ...extra,
});

const made: string[] = [];

/** Removes the projects that are left: after each test file, by remove-projects.ts. */
export const removeProjects = (): void => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
};

export const createProject = () => {
  const base = mkdtempSync(join(tmpdir(), 'toolcrib-cli-'));
  made.push(base);
  const folder = mkdtempSync(join(base, 'project-'));
  const cli = builtCli();

  const start = (args: readonly string[], { env }: RunOptions = {}): ChildProcess =>
    spawn(process.execPath, [cli, ...args], { cwd: folder, env: environment(base, env) });

  const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const child = start(args, options);
      let out = '';
      let err = '';
      child.stdout?.on('data', (chunk) => {
        out += String(chunk);
      });
      child.stderr?.on('data', (chunk) => {
        err += String(chunk);
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, out, err, json: () => JSON.parse(out) }));
      child.stdin?.end(options.input ?? '');
    });

  return { folder, home: base, cli, start, run, env: environment(base, undefined) };
};

export type Project = ReturnType<typeof createProject>;
