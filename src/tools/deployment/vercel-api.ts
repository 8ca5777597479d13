/** The four requests to Vercel's API that a deployment makes. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { textAt, type Vendor, vendorData, vendorFailure } from '../vendor-reply.ts';
import { type ProjectFile, sha1 } from './collect-files.ts';

export const VERCEL: Vendor = {
  name: 'Vercel',
  secret: 'VERCEL_TOKEN',
  setupUrl: 'https://vercel.com/account/tokens',
  explain: (body) => textAt(body, 'error', 'message'),
};

const deployment = lazy(() =>
  z.object({
    id: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/),
    url: z.string(),
    readyState: z.string(),
    errorMessage: z.string().nullish(),
  }),
);

const events = lazy(() =>
  z.array(
    z.object({
      text: z.string().nullish(),
      payload: z.object({ text: z.string().nullish() }).nullish(),
    }),
  ),
);

export type Deployment = z.infer<ReturnType<typeof deployment>>;

const MAX_LOG = 20_000;

export class VercelApi {
  readonly #context: ToolContext;
  readonly #href: string;
  readonly #team: string | undefined;

  constructor(context: ToolContext, href: string, team: string | undefined) {
    this.#context = context;
    this.#href = href;
    this.#team = team;
  }

  /** Uploads a file. Vercel stores files by digest: a repeated upload changes nothing. */
  async upload({ path, sha }: ProjectFile): Promise<void> {
    const bytes = await this.#context.fs.read(path);
    if (sha1(bytes) !== sha) {
      throw new ToolFailure('CONFLICT', 'A file was changed while it was being deployed.');
    }
    const response = await this.#send('/v2/files', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'x-vercel-digest': sha },
      body: new Uint8Array(bytes),
    });
    if (!response.ok) throw await vendorFailure(response, VERCEL);
    await response.body?.cancel();
  }

  async create(body: unknown): Promise<Deployment> {
    const response = await this.#send('/v13/deployments?skipAutoDetectionConfirmation=1', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return vendorData(response, VERCEL, deployment());
  }

  async get(id: string): Promise<Deployment> {
    const response = await this.#send(`/v13/deployments/${id}`);
    return vendorData(response, VERCEL, deployment());
  }

  /** Reads the end of the build log; empty when it cannot be read. */
  async log(id: string): Promise<string> {
    try {
      const response = await this.#send(`/v3/deployments/${id}/events?builds=1&limit=200`);
      const lines = await vendorData(response, VERCEL, events());
      const texts = lines.map(({ text, payload }) => text ?? payload?.text ?? '');
      return texts
        .filter((text) => text !== '')
        .join('\n')
        .slice(-MAX_LOG);
    } catch (error) {
      if (this.#context.signal.aborted) throw error;
      return '';
    }
  }

  async #send(path: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(this.#href + path);
    if (this.#team !== undefined) url.searchParams.set('teamId', this.#team);
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${await this.#context.secret(VERCEL.secret)}`);
    return this.#context.fetch(url, { ...init, headers, redirect: 'error' });
  }
}
