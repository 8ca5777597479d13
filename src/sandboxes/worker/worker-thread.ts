/** The program of a thread that runs one module of trusted code in Node's own realm, then ends. */
import { BORDER_PROGRAM } from '../border-program.ts';
import { REALM_PROGRAM } from '../realm-program.ts';

export const WORKER_THREAD = `
'use strict';
const { parentPort } = require('node:worker_threads');
const openBorder = ${BORDER_PROGRAM};
const openRealm = ${REALM_PROGRAM};
const post = parentPort.postMessage.bind(parentPort);
// What the code does not catch shows in its value, or nowhere.
process.on('unhandledRejection', () => undefined);

const begin = ({ code, name, input, outputBytes }) => {
  const border = openBorder(post, outputBytes);
  const send = (kind, text, id) => {
    const answer = border.send(kind, text, id);
    if (border.end !== undefined) {
      border.report(false);
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
