/** Passes on what a server reports by itself: cut, redacted, and no more than a few a second. */
import type { Runtime } from '../../contract/runtime.ts';
import type { ServerNotification } from '../../contract/servers.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

const MAX_A_SECOND = 20;
const WINDOW_MS = 1000;
const MAX_TEXT = 2000;

export interface NotificationDeps {
  readonly runtime: Pick<Runtime, 'elapsed'>;
  redact(text: string): string;
  /** Tells others of the change; nobody when absent. */
  notified?(notification: ServerNotification): void;
}

const cut = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;

/** Reads the text of a log message, which may be any JSON. */
const textOf = (data: unknown): string =>
  cut(typeof data === 'string' ? data : (JSON.stringify(data) ?? ''));

export interface Notifier {
  tell(notification: Pick<ServerNotification, 'method' | 'uri'>): void;
  /** Called with each message of the server's log. */
  message(params: { readonly level?: unknown; readonly data?: unknown }): void;
}

/** Makes the notifier. A server that reports more than the limit is ignored until the second is over. */
export const createNotifier = ({ runtime, redact, notified }: NotificationDeps): Notifier => {
  let from = Number.NEGATIVE_INFINITY;
  let count = 0;
  const send = (make: () => ServerNotification): void => {
    if (!notified) return;
    const now = runtime.elapsed();
    if (now - from >= WINDOW_MS) {
      from = now;
      count = 0;
    }
    count += 1;
    if (count <= MAX_A_SECOND) notified(make());
  };
  const safe = (text: string): string => visibleText(redact(cut(text)));
  return {
    tell: ({ method, uri }) =>
      send(() => ({ method, ...(uri !== undefined && { uri: safe(uri) }) })),
    message: ({ level, data }) =>
      send(() => ({
        method: 'notifications/message',
        ...(typeof level === 'string' && { level: visibleText(level.slice(0, 20)) }),
        text: safe(textOf(data)),
      })),
  };
};
