/** The settings of `sources.websocket`. */
import { z } from 'zod';
import { address, milliseconds, nonEmptyText, positiveCount } from '../fields.ts';
import { described, optionalSetting } from '../setting.ts';
import { EXTERNAL_FIELDS } from './external-fields.ts';
import { tier } from './source-fields.ts';

const operationName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'expected 1 to 64 letters, digits, "_" or "-"');

/** A path such as `result.data`. */
const path = z
  .string()
  .max(200)
  .regex(/^[^.\s]+(?:\.[^.\s]+)*$/, 'expected a path such as result.data');

const object = z.record(
  z.string(),
  described(z.unknown(), { about: 'One field.', project: 'add' }),
);

const operation = z.strictObject({
  description: described(nonEmptyText, { about: 'What it does, for models.', project: 'add' }),
  input: optionalSetting(object, {
    about: 'JSON Schema of its input; none when absent.',
    project: 'add',
  }),
  output: optionalSetting(object, { about: 'JSON Schema of its result.', project: 'add' }),
  request: optionalSetting(object, {
    about:
      'The message to send. `{ from: input.city }` takes a value of the input, `{ secret: KEY }` a secret, `{ value: … }` is taken as it is; the input itself when absent.',
    project: 'add',
  }),
  reply: optionalSetting(path, {
    about: 'The path of the result in the reply; all of the reply when absent.',
    project: 'add',
  }),
  error: optionalSetting(path, {
    about: 'The path of an error: a reply that has something there is a failure.',
    project: 'add',
  }),
  tier: optionalSetting(tier, {
    about: 'How risky it is; external_api, which asks every time, when absent.',
    project: 'user',
  }),
});

const correlation = z.strictObject({
  field: described(path, { about: 'Where a request carries its id.', project: 'add' }),
  replyField: described(path, { about: 'Where the reply repeats it.', project: 'add' }),
});

const login = z.strictObject({
  message: described(object, {
    about: 'The first message, written like a request.',
    project: 'add',
  }),
  replyField: optionalSetting(path, {
    about: 'Where a message of the service tells whether it accepts the login.',
    project: 'add',
  }),
  replyValue: optionalSetting(z.union([z.string(), z.number(), z.boolean()]), {
    about: 'What stands there when it does; true when absent.',
    project: 'add',
  }),
});

export const websocketSource = z.strictObject({
  url: described(address(['ws', 'wss']), {
    about: 'The address of the WebSocket service.',
    project: 'add',
  }),
  operations: described(z.record(operationName, operation.describe('One operation, by name.')), {
    about: 'What can be asked of it: each operation is a tool.',
  }),
  correlation: described(correlation, { about: 'How a reply finds its request.' }),
  login: optionalSetting(login.describe('How to log in.'), {
    about: 'The message that opens a connection, where the service wants one.',
  }),
  protocols: optionalSetting(
    z.array(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'expected a subprotocol')),
    { about: 'The subprotocols to offer.', project: 'add' },
  ),
  maxMessageBytes: optionalSetting(positiveCount, {
    about:
      'The largest message; a service that sends a larger one is cut off. 1000000 when absent.',
    project: 'add',
  }),
  heartbeatMs: optionalSetting(milliseconds, {
    about:
      'Milliseconds between two looks at whether the service still answers; 30000 when absent.',
    project: 'add',
  }),
  idleMs: optionalSetting(milliseconds, {
    about: 'Milliseconds without a call after which the connection is closed; 60000 when absent.',
    project: 'add',
  }),
  ...EXTERNAL_FIELDS,
});

export const WEBSOCKET_ABOUT = 'WebSocket services that answer requests: each operation is a tool.';
