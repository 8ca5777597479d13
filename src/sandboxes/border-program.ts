/**
 * The border inside a thread, between a realm and the messages to the host: counts output and
 * requests, and lets nothing through after the end. It is text because threads start from text.
 */

/** Requests at the same time. More would fill the host's memory without helping the code. */
const MAX_REQUESTS = 1000;

/**
 * A function of `(post, outputBytes)`; the value is `{ send, settled, isOver, isWaiting, end }`.
 * `send` is what the realm gets, `end` stays empty until something ended the run.
 */
export const BORDER_PROGRAM = `(post, outputBytes) => {
'use strict';
const { parse } = JSON;
const written = { stdout: [], stderr: [] };
const pending = new Map();
let writtenBytes = 0;
let pendingBytes = 0;
const border = { end: undefined, written };
const finish = (end) => {
  border.end ??= end;
};
const write = (kind, line) => {
  writtenBytes += Buffer.byteLength(line);
  if (writtenBytes > outputBytes) finish({ how: 'wrote too much' });
  else written[kind].push(line);
};
const ask = (text, id) => {
  const bytes = Buffer.byteLength(text);
  if (pendingBytes + bytes > outputBytes) return 'OUTPUT_TOO_LARGE';
  if (pending.size >= ${MAX_REQUESTS}) return 'RATE_LIMITED';
  pendingBytes += bytes;
  pending.set(id, bytes);
  post({ kind: 'request', id, text });
  return '';
};
border.finish = finish;
border.settled = (id) => {
  pendingBytes -= pending.get(id) ?? 0;
  return pending.delete(id);
};
border.isWaiting = () => pending.size > 0;
border.send = (kind, text, id) => {
  if (border.end !== undefined) return '';
  if (kind === 'request') return ask(text, id);
  if (kind === 'stdout' || kind === 'stderr') write(kind, parse(text));
  else if (kind === 'threw') finish({ how: 'threw', text });
  else if (text === undefined) finish({ how: 'returned' });
  else if (Buffer.byteLength(text) > outputBytes) finish({ how: 'wrote too much' });
  else finish({ how: 'returned', text });
  return '';
};
border.report = (reusable, usage) =>
  post({
    kind: 'end',
    end: border.end,
    stdout: written.stdout.join(''),
    stderr: written.stderr.join(''),
    reusable,
    usage,
  });
return border;
}`;
