/** Checks that the credential a tool needs is there, before a person is asked about the call. */
import type { Secrets } from '../../contract/secrets.ts';
import type { Stage } from '../../contract/stage.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';

export const authenticate = (secrets: Secrets): Stage<'ready' | 'admitted', 'authenticated'> =>
  function authenticate(call, next) {
    const { auth } = call.ready.tool;
    if (!auth?.required) return next(prove(call, 'authenticated', true));
    return secrets.get(auth.configKey).then((secret) => {
      if (secret !== undefined && secret.trim() !== '') {
        return next(prove(call, 'authenticated', true));
      }
      return failed(call, 'AUTH_MISSING', {
        message: `The credential ${auth.configKey} is not configured.`,
        suggestions: [
          `Keep it with: toolcrib secrets set ${auth.configKey}`,
          ...(auth.setupUrl === undefined ? [] : [`Get one at ${auth.setupUrl}`]),
        ],
      });
    });
  };
