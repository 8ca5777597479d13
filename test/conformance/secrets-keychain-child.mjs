/** Asks the real keychain on behalf of a test: a line of JSON in, a line of JSON out. */
import { createInterface } from 'node:readline';
import { AsyncEntry, findCredentialsAsync } from '@napi-rs/keyring';

const answer = ({ verb, service, account, value }) => {
  const entry = new AsyncEntry(service, account ?? '');
  if (verb === 'get') return entry.getPassword();
  if (verb === 'set') return entry.setPassword(value);
  if (verb === 'delete') return entry.deleteCredential();
  return findCredentialsAsync(service);
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...question } = JSON.parse(line);
  const reply = await answer(question).then(
    (result) => ({ id, result }),
    (error) => ({ id, error: String(error) }),
  );
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
