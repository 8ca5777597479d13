/** A receiver of webhooks, and the built server that sends to it. */
import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AlertNotification } from '../../src/contract/alerts.ts';
import type { Project } from './run-toolcrib.ts';

const KEY = 'a-key-for-signatures-that-nobody-else-has';
export const ALERT_ENV = { ALERT_KEY: KEY };

/** Whoever opens something is told how to end it. */
export type Ends = (() => void)[];

export interface Delivery extends AlertNotification {
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
  readonly isSigned: boolean;
}

/** Takes notifications; `hangs` keeps it from answering. */
export const openReceiver = async (ends: Ends) => {
  const deliveries: Delivery[] = [];
  const receiver = { deliveries, hangs: false, port: 0 };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { headers } = request;
    const mac = createHmac('sha256', KEY).update(`${String(headers['x-toolcrib-timestamp'])}.`);
    const expected = `sha256=${mac.update(body).digest('hex')}`;
    const isSigned = headers['x-toolcrib-signature'] === expected;
    deliveries.push({ ...(JSON.parse(body.toString()) as Delivery), headers, isSigned });
    if (!receiver.hangs) response.writeHead(204).end();
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.port = (server.address() as AddressInfo).port;
  return receiver;
};

/** Starts the server and waits until it listens. */
export const startServer = async (project: Project, ends: Ends, port = 0) => {
  const args = ['serve', '--port', String(port), '--no-console', '--json'];
  const child: ChildProcess = project.start(args, { env: ALERT_ENV });
  ends.push(() => child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stderr?.on('data', (chunk) => {
    err += String(chunk);
  });
  const { url } = await new Promise<{ readonly url: string }>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      if (out.endsWith('}\n')) resolve(JSON.parse(out) as { url: string });
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${err}`)));
  });
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await once(child, 'exit');
  };
  return { url, stop };
};
