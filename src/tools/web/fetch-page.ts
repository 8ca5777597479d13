/** Fetches a page over the guarded network, if the site's robots.txt allows it, and decodes it. */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { charsetOf, decodeText, readBytes, retryAfterMs } from '../../kit/http/read-reply.ts';
import { codeForStatus } from '../../kit/http/status-code.ts';
import { allowsRobot } from './robots.ts';

const AGENT = 'toolcrib';
const MAX_ROBOTS = 500 * 1024;
const ACCEPT = 'text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5';

export interface PageRequest {
  readonly url: string;
  readonly maxBytes: number;
  readonly respectRobots: boolean;
}

export interface FetchedPage {
  /** The address after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly bytes: number;
}

/** Reads robots.txt. A missing file allows everything; a server error forbids everything. */
const robotsOf = async (origin: string, { fetch }: ToolContext): Promise<string> => {
  const response = await fetch(`${origin}/robots.txt`, { headers: { 'user-agent': AGENT } });
  if (response.ok) {
    return decodeText(await readBytes(response, MAX_ROBOTS).catch(() => new Uint8Array()));
  }
  await response.body?.cancel();
  return response.status >= 500 ? 'User-agent: *\nDisallow: /' : '';
};

const assertRobotAllowed = async ({ origin, pathname, search }: URL, context: ToolContext) => {
  if (allowsRobot(await robotsOf(origin, context), AGENT, pathname + search)) return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'The robots.txt of the site asks not to read this page.',
    {
      suggestions: ['Use another source. A person who may read it can set respectRobots to false.'],
    },
  );
};

const isReadable = (contentType: string): boolean =>
  contentType === '' ||
  /^(?:text\/|application\/(?:xhtml\+xml|xml|json|[\w.-]+\+(?:xml|json)))/i.test(contentType);

/** Finds the charset in the byte order mark or in a meta tag of the first kilobyte. */
const declaredCharset = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(head)?.[1];
};

const assertReadable = async (response: Response): Promise<void> => {
  const { status, headers } = response;
  const contentType = headers.get('content-type') ?? '';
  if (response.ok && isReadable(contentType)) return;
  await response.body?.cancel();
  if (response.ok) {
    throw new ToolFailure('EXECUTION_FAILED', 'The address holds no text.', {
      suggestions: ['Use rest_api_call with response "base64" for other files.'],
    });
  }
  const wait = retryAfterMs(headers);
  // Not a missing credential: a page of a caller's choice has none.
  const isClosed = status === 401 || status === 403;
  const code = isClosed ? 'PERMISSION_DENIED' : codeForStatus(status);
  throw new ToolFailure(code, `The site answered with status ${status}.`, {
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
};

/** Fetches a page. Fails with a code of the table when it cannot, or must not, be read. */
export const fetchPage = async (
  request: PageRequest,
  context: ToolContext,
): Promise<FetchedPage> => {
  const address = new URL(request.url);
  if (request.respectRobots) await assertRobotAllowed(address, context);
  const headers = { 'user-agent': AGENT, accept: ACCEPT };
  const response = await context.fetch(address, { headers });
  // After a redirect to another site, the robots.txt of that site applies.
  const final = new URL(response.url);
  if (request.respectRobots && final.origin !== address.origin)
    await assertRobotAllowed(final, context);
  await assertReadable(response);
  const contentType = response.headers.get('content-type') ?? '';
  const bytes = await readBytes(response, request.maxBytes);
  const text = decodeText(bytes, charsetOf(contentType) ?? declaredCharset(bytes));
  return { url: response.url, status: response.status, contentType, text, bytes: bytes.length };
};
