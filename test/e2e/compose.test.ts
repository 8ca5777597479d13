/** The services of compose.yml, by their own commands and environment, as processes of this machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { assertReachable } from '../../src/server/listen-address.ts';
import { type ComposeService, readCompose, readImage } from '../fixtures/compose-file.ts';
import { freePort } from '../fixtures/free-port.ts';
import { isMissing } from '../fixtures/needed-programs.ts';
import { isPostgresMissing } from '../fixtures/postgres-schemas.ts';
import {
  openPostgres,
  type PostgresServer,
  postgresFolder,
} from '../fixtures/vendors/postgres-server.ts';
import { builtCli } from './built-cli.ts';

const TIME_LIMIT = 180_000;
const PASSWORDS = {
  POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
  REDIS_PASSWORD: randomBytes(24).toString('hex'),
};

const base = mkdtempSync(join(tmpdir(), 'toolcrib-compose-'));
/** The volume of the servers and workers. */
const data = join(base, 'data');
const started: ChildProcess[] = [];
let postgres: PostgresServer | undefined;
const ports = { postgres: 0, redis: 0 };

const service = (name: string): ComposeService => {
  const found = readCompose(PASSWORDS)[name];
  if (!found) throw new Error(`compose.yml has no service ${name}.`);
  return found;
};

/** The names of services are hosts in the network of compose; here they are ports of this machine. */
const local = (value: string): string =>
  value
    .replace('@postgres:5432', `@127.0.0.1:${ports.postgres}`)
    .replace('@redis:6379', `@127.0.0.1:${ports.redis}`);

const environmentOf = ({ environment }: ComposeService): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  NODE_ENV: 'production',
  TOOLCRIB_HOME: join(data, 'home'),
  ...Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, local(text)])),
});

interface Running {
  readonly child: ChildProcess;
  said(text: string): Promise<void>;
}

const watch = (child: ChildProcess): Running => {
  started.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const said = async (part: string): Promise<void> => {
    while (!text.includes(part)) {
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${text}`);
      await pause(20);
    }
  };
  return { child, said };
};

/** Runs the entry point of the image with these words, in the working folder of the image. */
const startProgram = (words: readonly string[], env: NodeJS.ProcessEnv): ChildProcess =>
  spawn(process.execPath, [builtCli(), ...words], { cwd: data, env });

const startServer = async (): Promise<Running & { readonly url: string }> => {
  const server = service('server');
  const port = await freePort();
  // No test listens beyond this machine; the other address is judged by a test of its own.
  const words = server.command.map((word) => (word === '0.0.0.0' ? '127.0.0.1' : word));
  const running = watch(startProgram([...words, '--port', `${port}`], environmentOf(server)));
  await running.said('Toolcrib');
  return { ...running, url: `http://localhost:${port}` };
};

const startWorker = async (): Promise<Running> => {
  const worker = service('worker');
  const running = watch(startProgram(worker.command, environmentOf(worker)));
  await running.said('Working on');
  return running;
};

const startRedis = async (): Promise<void> => {
  ports.redis = await freePort();
  const { command, environment } = service('redis');
  const [shell = '', flag = '', script = ''] = command;
  const own = `${script} --port ${ports.redis} --bind 127.0.0.1 --dir ${base}`;
  const env = { PATH: process.env.PATH, ...environment };
  await watch(spawn(shell, [flag, own], { env })).said('Ready to accept connections');
};

const startPostgres = async (): Promise<void> => {
  ports.postgres = await freePort();
  const {
    POSTGRES_USER: user = '',
    POSTGRES_DB: database,
    POSTGRES_PASSWORD: password,
  } = {
    ...service('postgres').environment,
  };
  postgres = await openPostgres(postgresFolder() ?? '', [], ports.postgres);
  await postgres.sql(`CREATE USER ${user} PASSWORD '${password}'`);
  await postgres.sql(`CREATE DATABASE ${database} OWNER ${user}`);
  await postgres.askPasswordOf(user);
};

const createToken = async (name: string, role: string): Promise<string> => {
  const child = startProgram(
    ['tokens', 'create', name, '--role', role],
    environmentOf(service('server')),
  );
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(0);
  return out.trim();
};

const request = async (url: string, token: string, body?: unknown): Promise<unknown> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const how = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(url, { headers, ...how });
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return JSON.parse(text);
};

const calculate = (url: string, token: string, expression: string): Promise<unknown> =>
  request(`${url}/v1/tools/calculator/execute`, token, { input: { expression } });

const addJob = async (url: string, token: string, expression: string): Promise<string> => {
  const payload = { tool: 'calculator', input: { expression } };
  const job = await request(`${url}/v1/jobs`, token, { type: 'tool', payload });
  return (job as { readonly id: string }).id;
};

interface ShownJob {
  readonly state: string;
  readonly result?: unknown;
}

const endOf = async (url: string, token: string, id: string): Promise<ShownJob> => {
  for (;;) {
    const job = (await request(`${url}/v1/jobs/${id}`, token)) as ShownJob;
    if (['completed', 'dead', 'cancelled'].includes(job.state)) return job;
    await pause(50);
  }
};

const kill = async ({ child }: Running): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};

const isAnyMissing = isPostgresMissing() || isMissing('redis-server');

describe.skipIf(isAnyMissing)('the services of compose.yml', () => {
  beforeAll(async () => {
    mkdirSync(join(data, 'home'), { recursive: true, mode: 0o700 });
    await Promise.all([startRedis(), startPostgres()]);
  }, TIME_LIMIT);
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await postgres?.close();
    rmSync(base, { recursive: true, force: true });
  }, TIME_LIMIT);

  it('start the program of the package, at an address that its settings allow', () => {
    expect(readImage().entrypoint.slice(-2)).toEqual(['node', '/app/dist/cli/main.js']);
    const { command, environment } = service('server');
    expect(command).toEqual(['serve', '--host', '0.0.0.0']);
    const allowedHosts = (environment.TOOLCRIB_SERVER_ALLOWED_HOSTS ?? '').split(',');
    const behindTls = environment.TOOLCRIB_SERVER_BEHIND_TLS === 'true';
    const { server } = configSchema.parse({ server: { allowedHosts, behindTls } });
    expect(() => assertReachable('0.0.0.0', server)).not.toThrow();
  });

  it('go on when one server and one worker are killed', { timeout: TIME_LIMIT }, async () => {
    const counts = [service('server').replicas, service('worker').replicas];
    expect(counts).toEqual([2, 2]);
    // All at once on an empty volume and an empty database, as compose starts them.
    const [first, second, worker] = await Promise.all([
      startServer(),
      startServer(),
      startWorker(),
      startWorker(),
    ]);
    const token = await createToken('ci', 'agent');
    for (const { url } of [first, second]) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect(await calculate(url, token, '6*7')).toMatchObject({ success: true });
    }
    const early = await addJob(first.url, token, '6*7');
    expect(await endOf(second.url, token, early)).toMatchObject({ state: 'completed' });

    const left = await Promise.all(
      Array.from({ length: 20 }, (_, n) => addJob(first.url, token, `${n}+1`)),
    );
    await Promise.all([kill(first), kill(worker)]);
    const late = await Promise.all(
      Array.from({ length: 20 }, (_, n) => addJob(second.url, token, `${n}+2`)),
    );
    const ends = await Promise.all([...left, ...late].map((id) => endOf(second.url, token, id)));
    expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['completed']));
    expect(await calculate(second.url, token, '1+1')).toMatchObject({ success: true });
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
    const env = environmentOf(service('server'));
    const [code] = (await once(startProgram(['audit', 'verify'], env), 'close')) as [number];
    expect(code).toBe(0);
  });
});
