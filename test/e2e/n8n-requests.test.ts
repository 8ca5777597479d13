/** The built server, called exactly as the HTTP Request node of the shipped workflow file calls it. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createProject, type Project } from './run-toolcrib.ts';

const TIME_LIMIT = 120_000;

const started: ChildProcess[] = [];
beforeAll(() => {
  createProject();
}, 180_000);
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const serve = async (project: Project): Promise<string> => {
  const child = project.start(['serve', '--port', '0', '--no-console', '--json']);
  started.push(child);
  let out = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      if (out.endsWith('}\n')) resolve((JSON.parse(out) as { url: string }).url);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });
};

interface RequestParameters {
  readonly method: string;
  readonly url: string;
  readonly jsonBody: string;
  readonly headerParameters: {
    readonly parameters: readonly { readonly name: string; readonly value: string }[];
  };
}

/** Reads the node and evaluates its two expressions, of which n8n allows any JavaScript. */
const readRequest = () => {
  const file = join(import.meta.dirname, '../../integrations/n8n/call-a-governed-tool.json');
  const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as {
    nodes: { name: string; parameters: RequestParameters }[];
  };
  const node = nodes.find(({ name }) => name === 'Call the tool');
  if (!node) throw new Error('The file has no such node.');
  const { method, url, jsonBody, headerParameters } = node.parameters;
  expect(jsonBody).toBe("={{ JSON.stringify({ input: { expression: '6 * 7' } }) }}");
  const headers = headerParameters.parameters.map(({ name, value }) => [
    name,
    value.replace(/^=/, '').replace('{{ $execution.id }}', '231'),
  ]);
  const body = JSON.stringify({ input: { expression: '6 * 7' } });
  return { method, url, body, headers: Object.fromEntries(headers) as Record<string, string> };
};

describe('the HTTP Request node of call-a-governed-tool.json', { timeout: TIME_LIMIT }, () => {
  it('gets the result of a governed call, on record, and nothing without its token', async () => {
    const project = createProject();
    const token = (await project.run(['tokens', 'create', 'n8n', '--role', 'agent'])).out.trim();
    const { method, url, body, headers } = readRequest();
    const address = url.replace('http://127.0.0.1:7420', await serve(project));
    const send = (authorization: string) =>
      fetch(address, {
        method,
        body,
        headers: { ...headers, 'content-type': 'application/json', authorization },
      });
    expect((await send('Bearer none')).status).toBe(401);
    const answer = await send(`Bearer ${token}`);
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { success: true, data: { result: 42 }, metadata: { toolName: 'calculator' } },
    ]);
    // The node tries again with the same id of the execution.
    expect(await (await send(`Bearer ${token}`)).json()).toMatchObject({
      metadata: { cached: true },
    });
  });
});
