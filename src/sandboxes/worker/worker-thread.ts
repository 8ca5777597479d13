/** The program of a thread that runs one module of trusted code in Node's own realm, then ends. */
import { BORDER_PROGRAM } from '../border-program.ts';
import { REALM_PROGRAM } from '../realm-program.ts';
import { METER_PROGRAM } from '../thread-meter.ts';

export const WORKER_THREAD = `
'use strict';
const { parentPort } = require('node:worker_threads');
const { getHeapStatistics } = require('node:v8');
const openBorder = ${BORDER_PROGRAM};
const openRealm = ${REALM_PROGRAM};
const cpuMs = (${METER_PROGRAM})();
const post = parentPort.postMessage.bind(parentPort);
// What the code does not catch shows in its value, or nowhere.
process.on('unhandledRejection', () => undefined);

/** The heap keeps what it has got for a while, so that a look at the end shows more than what is left. */
let peakMemoryBytes = 0;
const look = () => {
  const { total_heap_size, external_memory } = getHeapStatistics();
  peakMemoryBytes = Math.max(peakMemoryBytes, total_heap_size + external_memory);
};

const begin = ({ code, name, input, outputBytes }) => {
  const border = openBorder(post, outputBytes);
  const before = cpuMs();
  const send = (kind, text, id) => {
    const answer = border.send(kind, text, id);
    look();
    if (border.end !== undefined) {
      border.report(false, { cpuMs: cpuMs() - before, peakMemoryBytes });
      border.report = () => undefined;
    }
    return answer;
  };
  const realm = openRealm(send);
  process.on('uncaughtException', realm.fail);
  // The comment gives the module its name in stack traces.
  const source = code + '\\n//# sourceURL=' + encodeURI(name);
  realm.start(import('data:text/javascript,' + encodeURIComponent(source)), input);
  return { border, realm };
};

let run;
parentPort.on('message', (message) => {
  if (message.kind === 'run') run = begin(message);
  else if (!run.border.settled(message.id)) return;
  else if (message.kind === 'answer') run.realm.answer(message.id, message.text);
  else run.realm.refuse(message.id, message.code, message.message);
});
`;
