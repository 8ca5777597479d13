import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it } from 'vitest';
import { newClient, textOf } from '../fixtures/mcp-surface.ts';
import { createProject, type Project } from './run-toolcrib.ts';

const LONG = 60_000;

const serverOf = ({ cli, folder, env }: Project, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [cli, 'mcp', ...args],
  cwd: folder,
  env: env as Record<string, string>,
});

it('toolcrib mcp serves clients of both eras over stdio', { timeout: LONG }, async () => {
  const project = createProject();
  for (const client of [newClient('legacy'), newClient('modern')]) {
    await client.connect(new StdioClientTransport(serverOf(project, '--client', 'editor')));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('calculator');
    const call = { name: 'calculator', arguments: { expression: 'sqrt(16)+2^3' } };
    expect(textOf(await client.callTool(call))).toContain('12');
    await client.close();
  }
  const old = new OldClient({ name: 'old', version: '1' });
  await old.connect(new OldStdio(serverOf(project, '--surface', 'search')));
  const names = (await old.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['search_tools', 'describe_tool', 'call_tool']));
  await old.close();
  const audit = await project.run(['audit', 'list', '--json']);
  expect(audit.out).toContain('"editor"');
});

it('toolcrib mcp runs what a person approves, in the client or elsewhere', {
  timeout: LONG,
}, async () => {
  const project = createProject();
  const file = join(project.folder, 'notes.txt');
  const call = {
    name: 'file_operations',
    arguments: { operation: 'delete', path: 'notes.txt' },
  };
  writeFileSync(file, 'one');
  const asks = newClient('modern', () => ({ action: 'accept', content: { approve: true } }));
  await asks.connect(new StdioClientTransport(serverOf(project)));
  expect((await asks.callTool(call)).isError).toBeFalsy();
  expect(existsSync(file)).toBe(false);
  await asks.close();

  writeFileSync(file, 'two');
  const cannot = newClient('modern');
  await cannot.connect(new StdioClientTransport(serverOf(project)));
  const pending = await cannot.callTool(call);
  expect(existsSync(file)).toBe(true);
  const id = String(/approvals approve (\S+)/.exec(textOf(pending))?.[1]);
  const approved = await project.run(['approvals', 'approve', id]);
  expect([approved.code, approved.err]).toEqual([0, expect.any(String)]);
  expect((await cannot.callTool(call)).isError).toBeFalsy();
  expect(existsSync(file)).toBe(false);
  await cannot.close();
});

it('toolcrib mcp writes only the protocol to stdout, and ends with its input', {
  timeout: LONG,
}, async () => {
  const project = createProject();
  const child = project.start(['mcp']);
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  };
  child.stdin?.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
  );
  await expect.poll(() => out, { timeout: 30_000 }).toContain('\n');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  expect(await ended).toBe(0);
  for (const line of out.trim().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});

it('toolcrib mcp ends cleanly on a signal', { timeout: LONG }, async () => {
  const project = createProject();
  const child = project.start(['mcp', '--http', '0'], { env: { MCP_BEARER_TOKEN: 'secret' } });
  let err = '';
  child.stderr?.on('data', (chunk) => {
    err += String(chunk);
  });
  await expect.poll(() => err, { timeout: 30_000 }).toContain('Token:');
  expect(err).not.toContain('secret');
  const url = new URL(String(/http:\S+/.exec(err)?.[0]));
  expect((await fetch(url, { method: 'POST' })).status).toBe(401);
  const client = new Client(
    { name: 'http', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const requestInit = { headers: { authorization: 'Bearer secret' } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  await client.close();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});

it('toolcrib mcp works with the MCP Inspector', { timeout: 2 * LONG }, async () => {
  const project = createProject();
  const inspector = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/inspector/cli/build/cli.js',
  );
  const inspect = (...args: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      const all = [inspector, '--cli', process.execPath, project.cli, 'mcp', ...args];
      const child = spawn(process.execPath, all, { cwd: project.folder, env: project.env });
      let said = '';
      child.stdout.on('data', (chunk) => {
        said += String(chunk);
      });
      child.stderr.on('data', (chunk) => {
        said += String(chunk);
      });
      child.on('close', () => resolve(said));
    });
  expect(await inspect('--method', 'tools/list')).toContain('"calculator"');
  const called = await inspect(
    ...['--method', 'tools/call', '--tool-name', 'calculator'],
    ...['--tool-arg', 'expression=6*7'],
  );
  expect(called).toContain('42');
});
