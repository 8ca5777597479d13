/** Names that look like an attack and are none, through the whole pipeline. */
import { expect, it } from 'vitest';
import { createWorkspace } from '../../../test/fixtures/workspace.ts';
import { createCrib } from '../../crib/create-crib.ts';

it('a file that is really called %2e%2e is read, one that leads out is not', async () => {
  const workspace = createWorkspace({ '%2e%2e': 'harmless\n' });
  const crib = await createCrib({ root: workspace.root, store: 'memory', watch: false });
  const read = async (path: string) => (await crib.execute('read_file', { path })).error?.code;
  expect(await read('%2e%2e')).toBeUndefined();
  expect(await read('..')).toBe('SECURITY_VIOLATION');
  expect(await read('%2e%2e%2fetc%2fpasswd')).toBe('SECURITY_VIOLATION');
  await crib.close();
  workspace.remove();
});
