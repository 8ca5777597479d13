// Calls the shipped workflow files on a real n8n, and has them call back.
//
//   node scripts/test-n8n.mjs                 installs n8n into the cache folder once (minutes, 1.4 GB)
//   --cache <folder>                          another folder; ~/.cache/toolcrib/n8n-<version> when absent
//   --dist <folder>                           another build than `dist`
//
// Needs nothing but loopback once n8n is installed. The action nodes are pointed at servers of this script: mail
// goes to an SMTP server here, notifications and events to an HTTP server. Ends with 1 when a check fails.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer as createTcp } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const VERSION = '2.8.4';
const SECRET = 'webhook-secret-of-the-real-test';
const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: join(homedir(), '.cache/toolcrib', `n8n-${VERSION}`) },
    dist: { type: 'string', default: join(root, 'dist') },
  },
});
const cleanup = [];
const checks = [];

const check = async (title, run) => {
  const startedAt = Date.now();
  await run();
  checks.push(title);
  console.log(`ok ${checks.length} - ${title} (${Date.now() - startedAt} ms)`);
};

/** Installs n8n unless it is there. pnpm resolves its 2,000 packages in a minute; npm takes over an hour. */
const installN8n = () => {
  const program = join(values.cache, 'node_modules/n8n/bin/n8n');
  const isInstalled = join(values.cache, 'installed');
  if (existsSync(isInstalled)) return program;
  mkdirSync(values.cache, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { n8n: VERSION },
    pnpm: {
      overrides: {
        // The version that the npm registry has: n8n asks for one from another host.
        xlsx: '0.18.5',
        // Later ones need a newer @langchain/core than the one that n8n pins, and n8n does not start.
        '@langchain/langgraph-checkpoint': '1.0.0',
      },
      onlyBuiltDependencies: ['sqlite3', 'isolated-vm'],
    },
  };
  writeFileSync(join(values.cache, 'package.json'), JSON.stringify(manifest));
  const args = ['--yes', 'pnpm@10', 'install', '--prod', '--node-linker=hoisted'];
  execFileSync('npx', args, { cwd: values.cache, stdio: 'inherit' });
  writeFileSync(isInstalled, '');
  return program;
};

const listen = async (server) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.push(() => server.close());
  return server.address().port;
};

const freePort = async () => {
  const server = createTcp();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
};

/** Takes mail as an SMTP server does and keeps it. */
const startMail = async () => {
  const mails = [];
  const server = createTcp((socket) => {
    let text = '';
    let isData = false;
    socket.on('error', () => undefined);
    socket.write('220 test ESMTP\r\n');
    socket.on('data', (chunk) => {
      text += chunk;
      for (;;) {
        const end = isData ? text.indexOf('\r\n.\r\n') : text.indexOf('\r\n');
        if (end < 0) return;
        const line = text.slice(0, end);
        text = text.slice(end + (isData ? 5 : 2));
        if (isData) {
          mails.push(line);
          isData = false;
          socket.write('250 queued\r\n');
        } else if (/^EHLO/i.test(line)) socket.write('250-test\r\n250 8BITMIME\r\n');
        else if (/^DATA/i.test(line)) {
          isData = true;
          socket.write('354 go on\r\n');
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
  });
  return { mails, port: await listen(server) };
};

/** Takes what the other action nodes send and keeps it. */
const startSink = async () => {
  const bodies = [];
  const keep = async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    bodies.push({ url: request.url, body: JSON.parse(text) });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"id":"event-1"}');
  };
  const server = createHttp((request, response) => void keep(request, response));
  return { bodies, url: `http://127.0.0.1:${await listen(server)}` };
};

const readWorkflow = (file) =>
  JSON.parse(readFileSync(join(root, 'integrations/n8n', file), 'utf8'));

const nodeOf = (workflow, name) => workflow.nodes.find((node) => node.name === name);

/** Points the action nodes at this script, as a user points them at services. */
const editedWorkflows = (sink, toolcribUrl) => {
  const notification = readWorkflow('send-notification.json');
  nodeOf(notification, 'Push').parameters.url = `${sink.url}/push`;
  const event = readWorkflow('create-calendar-event.json');
  // Google cannot be reached from here: the same fields go to this script.
  const create = nodeOf(event, 'Create Event');
  const { start, end, additionalFields } = create.parameters;
  const field = (expression) => expression.slice(3, -2).trim();
  const fields = `{ start: ${field(start)}, end: ${field(end)}, summary: ${field(additionalFields.summary)}, attendees: ${field(additionalFields.attendees)} }`;
  Object.assign(create, { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 });
  delete create.credentials;
  create.parameters = {
    method: 'POST',
    url: `${sink.url}/event`,
    sendBody: true,
    specifyBody: 'json',
    jsonBody: `={{ JSON.stringify(${fields}) }}`,
    options: {},
  };
  const call = readWorkflow('call-a-governed-tool.json');
  const request = nodeOf(call, 'Call the tool');
  request.parameters.url = request.parameters.url.replace('http://127.0.0.1:7420', toolcribUrl);
  return [
    readWorkflow('send-email.json'),
    notification,
    event,
    readWorkflow('answer-later.json'),
    call,
  ];
};

const credentialsFor = (mailPort, token) => [
  {
    id: 'toolcribWebhook',
    name: 'Toolcrib webhook secret',
    type: 'httpHeaderAuth',
    data: { name: 'X-Webhook-Secret', value: SECRET },
  },
  {
    id: 'toolcribSmtp',
    name: 'SMTP account',
    type: 'smtp',
    data: { host: '127.0.0.1', port: mailPort, secure: false, disableStartTls: true },
  },
  {
    id: 'toolcribHmac',
    name: 'Toolcrib callback secret',
    type: 'crypto',
    data: { hmacSecret: SECRET },
  },
  {
    id: 'toolcribToken',
    name: 'Toolcrib token',
    type: 'httpHeaderAuth',
    data: { name: 'Authorization', value: `Bearer ${token}` },
  },
];

const n8nEnvironment = async (folder, port) => ({
  ...process.env,
  N8N_USER_FOLDER: folder,
  N8N_PORT: String(port),
  N8N_LISTEN_ADDRESS: '127.0.0.1',
  N8N_ENCRYPTION_KEY: 'key-of-the-test',
  N8N_SECURE_COOKIE: 'false',
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
  N8N_RUNNERS_BROKER_PORT: String(await freePort()),
});

const startN8n = async (program, env, url) => {
  const child = spawn(process.execPath, [program, 'start'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  cleanup.push(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await Promise.race([once(child, 'exit'), pause(10_000)]);
    child.kill('SIGKILL');
  });
  for (let tries = 0; tries < 240; tries += 1) {
    if (child.exitCode !== null) throw new Error(`n8n ended:\n${log.slice(-4000)}`);
    const ready = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
    if (ready?.ok && log.includes('Editor is now accessible')) return;
    await pause(500);
  }
  throw new Error(`n8n did not start:\n${log.slice(-4000)}`);
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sets the owner of n8n up and makes a key for its API. */
const apiKeyOf = async (url) => {
  const json = { 'content-type': 'application/json', 'browser-id': 'test' };
  const owner = {
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'L',
    password: 'Passw0rd12',
  };
  const setUp = await fetch(`${url}/rest/owner/setup`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(owner),
  });
  assert.equal(setUp.status, 200, await setUp.text());
  const cookie = setUp.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const made = await fetch(`${url}/rest/api-keys`, {
    method: 'POST',
    headers: { ...json, cookie },
    body: JSON.stringify({
      label: 'test',
      expiresAt: null,
      scopes: ['workflow:list', 'workflow:read'],
    }),
  });
  const text = await made.text();
  assert.equal(made.status, 200, text);
  return JSON.parse(text).data.rawApiKey;
};

const load = (path) => import(pathToFileURL(join(values.dist, path)).href);

/** Opens a crib with its server, as `toolcrib serve` does. */
const openToolcrib = async (folder, { n8nUrl, port, secrets }) => {
  const { createCribHost } = await load('crib/create-crib.js');
  const { createRuntime } = await load('crib/create-runtime.js');
  const { loadConfig } = await load('trust/load-config.js');
  const { openServer } = await load('server/open-server.js');
  const env = { TOOLCRIB_HOME: join(folder, 'home'), N8N_WEBHOOK_SECRET: SECRET };
  const loaded = await loadConfig({ cwd: folder, env });
  const source = {
    baseUrl: n8nUrl,
    webhookSecret: 'N8N_WEBHOOK_SECRET',
    shipped: true,
    callbackUrl: `http://127.0.0.1:${port}`,
    labels: { sensitivity: 'public' },
    workflows: { later: { webhookPath: 'toolcrib-answer-later', mode: 'async' } },
  };
  const config = {
    ...loaded.config,
    registry: { ...loaded.config.registry, lock: 'off' },
    sources: { ...loaded.config.sources, n8n: { flows: source } },
  };
  const crib = await createCribHost({
    settings: config,
    store: 'memory',
    root: folder,
    home: env.TOOLCRIB_HOME,
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow', tools: ['*'] }] },
    secrets: { get: async (key) => secrets[key] },
  });
  cleanup.push(() => crib.close());
  const server = await openServer({
    crib,
    loaded: { ...loaded, config },
    runtime: createRuntime(),
    version: '0',
    env,
    host: '127.0.0.1',
    port,
    doctor: async () => [],
    describe: () => 'a question',
  });
  cleanup.push(() => server.close());
  return { crib, server };
};

/** Makes a token of the role agent, as `toolcrib tokens create` does. */
const tokenFor = async (crib) => {
  const { createTokenService } = await load('surfaces/http/auth/token-service.js');
  const { createRuntime } = await load('crib/create-runtime.js');
  const tokens = async () => (await crib.store()).tokens;
  const service = createTokenService({ tokens, runtime: createRuntime(), randomBytes });
  return (await service.create({ name: 'n8n', role: 'agent' }, 'test')).token;
};

const callTools = async (crib, { mail, sink }) => {
  await check('send_email reaches an SMTP server through the shipped workflow', async () => {
    const input = { to: 'ada@example.com', subject: 'Hello from n8n', body: 'It works.' };
    const { status, data, error } = await crib.execute('send_email', input);
    assert.equal(status, 'success', JSON.stringify(error));
    assert.equal(data.output.sent, true);
    assert.match(data.executionId, /^\d+$/);
    assert.match(mail.mails[0], /To: ada@example.com/);
    assert.match(mail.mails[0], /It works\./);
  });
  await check('send_notification reaches the push service', async () => {
    const { status, error } = await crib.execute('send_notification', { title: 'T', body: 'B' });
    assert.equal(status, 'success', JSON.stringify(error));
    const { body } = sink.bodies.find(({ url }) => url === '/push');
    assert.equal(body.title, 'T');
    assert.equal(body.message, 'B');
  });
  await check('create_calendar_event hands all fields on', async () => {
    const times = { startTime: '2026-01-05T10:00:00Z', endTime: '2026-01-05T11:00:00Z' };
    const input = { title: 'Review', ...times, attendees: ['bob@example.com'] };
    const { status, data, error } = await crib.execute('create_calendar_event', input);
    assert.equal(status, 'success', JSON.stringify(error));
    assert.equal(data.output.id, 'event-1');
    const { body } = sink.bodies.find(({ url }) => url === '/event');
    assert.deepEqual(body, {
      start: times.startTime,
      end: times.endTime,
      summary: 'Review',
      attendees: ['bob@example.com'],
    });
  });
};

const callLater = async (crib) => {
  await check(
    'a workflow that answers later is delivered by a job and calls back, signed',
    async () => {
      const workers = await crib.jobs.work();
      const { data, error } = await crib.execute('later', { day: 'monday' });
      assert.ok(data, JSON.stringify(error));
      let record;
      for (let tries = 0; tries < 60; tries += 1) {
        ({ data: record } = await crib.execute('get_workflow_result', {
          invocationId: data.invocationId,
        }));
        if (record.status === 'success' || record.status === 'failure') break;
        await pause(500);
      }
      await workers.close();
      assert.equal(record.status, 'success', JSON.stringify(record));
      assert.equal(record.output.received.day, 'monday');
    },
  );
};

const main = async () => {
  const program = installN8n();
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-n8n-'));
  cleanup.push(() => rm(folder, { recursive: true, force: true }));
  const [mail, sink] = [await startMail(), await startSink()];
  const [n8nPort, port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${n8nPort}`;
  const env = await n8nEnvironment(folder, n8nPort);
  const run = (...args) =>
    promisify(execFile)(process.execPath, [program, ...args], { env, timeout: 180_000 });
  const secrets = { N8N_WEBHOOK_SECRET: SECRET };
  const { crib } = await openToolcrib(folder, { n8nUrl: url, port, secrets });
  const token = await tokenFor(crib);
  const workflows = editedWorkflows(sink, `http://127.0.0.1:${port}`);
  mkdirSync(join(folder, 'workflows'));
  for (const workflow of workflows) {
    writeFileSync(join(folder, 'workflows', `${workflow.id}.json`), JSON.stringify(workflow));
  }
  const credentials = join(folder, 'credentials.json');
  writeFileSync(credentials, JSON.stringify(credentialsFor(mail.port, token)));
  await check('n8n imports the workflow files', async () => {
    await run('import:credentials', `--input=${credentials}`);
    await run('import:workflow', '--separate', `--input=${join(folder, 'workflows')}`);
  });
  await check('n8n publishes them', async () => {
    for (const { id } of workflows.slice(0, 4)) await run('publish:workflow', `--id=${id}`);
  });
  await check('a workflow calls a governed tool of Toolcrib', async () => {
    const { stdout } = await run('execute', '--id=toolcribCallATool');
    const [row] = await crib.audit.query({ tool: 'calculator' });
    assert.equal(row?.status, 'success', stdout.slice(-4_000));
    assert.match(stdout, /42/);
  });
  await startN8n(program, env, url);
  await check('the health check of a tool reaches n8n', async () => {
    assert.deepEqual(await crib.tools.get('send_email').tool.healthCheck(), { healthy: true });
  });
  await callTools(crib, { mail, sink });
  await callLater(crib);
  await check('discovery finds the published workflows by the API', async () => {
    secrets.N8N_API_KEY = await apiKeyOf(url);
    const settings = { baseUrl: url, apiKey: 'N8N_API_KEY', discover: true };
    const status = await crib.sources.add('n8n', 'found', settings);
    assert.equal(status.tools, 4, JSON.stringify(status));
  });
};

try {
  await main();
  console.log(`${checks.length} checks passed on n8n ${VERSION}.`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const each of cleanup.reverse()) await each();
}
process.exit();
