/** The threat: a process that is only silent is taken for one that has ended, and its call is made again. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileProgram } from '../../../test/conformance/compile-program.ts';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import { startProcess } from '../../../test/fixtures/store-processes.ts';

describe.skipIf(isPostgresMissing())('the owner of a call in doubt', () => {
  const { server, url, newSchema, open } = usePostgres();
  let compiled: { readonly folder: string; readonly program: string };
  beforeAll(() => {
    const program = join(import.meta.dirname, '../../../test/conformance/postgres-program.ts');
    compiled = compileProgram(program);
  }, 120_000);
  afterAll(() => rmSync(compiled.folder, { recursive: true, force: true }));

  const startClaim = async (schema: string) => {
    const holder = startProcess([compiled.program, url(), schema, 'claim', 'holder']);
    await holder.said('claimed');
    return holder;
  };

  it('has ended when its process was killed, not while that is frozen past its lease', async () => {
    const schema = newSchema();
    const { child, ended } = await startClaim(schema);
    const store = await open({ schema });
    expect(await store.intents.open()).toMatchObject([{ ownerAlive: true, ownerEnded: false }]);
    child.kill('SIGSTOP');
    await server().sql(`UPDATE ${schema}.owners SET heartbeat_at = heartbeat_at - interval '1 h'`);
    expect(await store.intents.open()).toMatchObject([{ ownerAlive: false, ownerEnded: false }]);
    child.kill('SIGKILL');
    await ended;
    expect(await store.intents.open()).toMatchObject([{ ownerAlive: false, ownerEnded: true }]);
    await store.close();
  });

  it('cannot be said to have ended where its process cannot be seen from here', async () => {
    const schema = newSchema();
    const { child, ended } = await startClaim(schema);
    child.kill('SIGKILL');
    await ended;
    // As another machine would name it, and as an earlier version did.
    for (const name of [
      "split_part(owner, ' ', 1) || ' elsewhere 1 1'",
      "split_part(owner, ' ', 1)",
    ]) {
      await server().sql(`UPDATE ${schema}.intents SET owner = ${name}`);
      const store = await open({ schema });
      expect(await store.intents.open()).toMatchObject([{ ownerAlive: false, ownerEnded: false }]);
      await store.close();
    }
  });
});
