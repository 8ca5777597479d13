/**
 * Cleans the names of callers before a span carries them out of the process: secrets are redacted, and
 * the token or console session behind a session id is replaced by a digest.
 */
import type { Runtime } from '../../contract/runtime.ts';
import type { Span, SpanAttributes, SpanStart } from '../../contract/telemetry.ts';
import { shortDigestOf } from '../../kit/data/canonical-json.ts';
import { redactedCaller } from '../../observation/redacted-caller.ts';

type Redactor = Parameters<typeof redactedCaller>[1];

const USER = 'user.id';
const AGENT = 'gen_ai.agent.id';
const SESSION = 'gen_ai.conversation.id';

/** Matches what the HTTP surface names sessions after: the id of a token, the key of a console session. */
const HANDLE = /^(?:token|session):[^/]*/;
const DIGEST_LENGTH = 16;

/**
 * Replaces the handle of a session by a digest: calls of one session share the digest, which does not reveal
 * the token.
 */
const cleanSession = (sessionId: string, redactor: Redactor): string => {
  const handle = HANDLE.exec(sessionId)?.[0];
  if (handle === undefined) return redactor.text(sessionId);
  const digest = shortDigestOf(handle).slice(0, DIGEST_LENGTH);
  return `session-${digest}${redactor.text(sessionId.slice(handle.length))}`;
};

const cleanAttributes = (attributes: SpanAttributes, redactor: Redactor): SpanAttributes => {
  const { [USER]: user, [AGENT]: agent, [SESSION]: session } = attributes;
  return {
    ...attributes,
    ...(typeof user === 'string' && { [USER]: redactedCaller(user, redactor) }),
    ...(typeof agent === 'string' && { [AGENT]: redactedCaller(agent, redactor) }),
    ...(typeof session === 'string' && { [SESSION]: cleanSession(session, redactor) }),
  };
};

const cleanStart = <S extends SpanStart>(start: S, redactor: Redactor): S =>
  start.attributes ? { ...start, attributes: cleanAttributes(start.attributes, redactor) } : start;

/** Passes everything on to a span, and cleans the names that its children begin with. */
class CleanSpan implements Span {
  readonly #span: Span;
  readonly #redactor: Redactor;

  constructor(span: Span, redactor: Redactor) {
    this.#span = span;
    this.#redactor = redactor;
  }

  get traceId(): string {
    return this.#span.traceId;
  }

  get trace(): Span['trace'] {
    return this.#span.trace;
  }

  get isRecorded(): boolean {
    return this.#span.isRecorded;
  }

  rename(name: string): void {
    this.#span.rename(name);
  }

  child(name: string, start: Omit<SpanStart, 'parent'> = {}): Span {
    return new CleanSpan(this.#span.child(name, cleanStart(start, this.#redactor)), this.#redactor);
  }

  run<T>(work: () => T): T {
    return this.#span.run(work);
  }

  end(...ending: Parameters<Span['end']>): void {
    this.#span.end(...ending);
  }
}

/** Returns a runtime whose spans name callers without secrets and without handles of sessions. */
export const withCleanCallers = async (
  runtime: Runtime,
  openRedactor: () => Promise<Redactor>,
): Promise<Runtime> => {
  const { telemetry } = runtime;
  if (!telemetry) return runtime;
  const redactor = await openRedactor();
  return {
    ...runtime,
    telemetry: {
      ...telemetry,
      start: (name, start = {}) =>
        new CleanSpan(telemetry.start(name, cleanStart(start, redactor)), redactor),
    },
  };
};
