/** Threat: whoever may answer approvals makes standing grants without end. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { NewGrant } from '../../contract/grant.ts';
import { MAX_GRANTS_PER_GIVER } from './permission-service.ts';

const wanted = (n: number, more: Partial<NewGrant> = {}): NewGrant => ({
  subject: { user: 'alice' },
  resource: `tool:t${n}`,
  actions: ['*'],
  skipsApproval: true,
  by: 'operator',
  ...more,
});

describe('threat: endless grants', () => {
  it('repeating the same answer makes one grant', async () => {
    const remember = { scope: 'pattern' as const, condition: 'input.path == "a"' };
    const ask = async () => ({ answer: 'approve' as const, by: 'operator', remember });
    const tool = aTool({ tier: 'execute' });
    const crib = await testCrib([tool], { approver: { ask } });
    for (let n = 0; n < 5; n++) await crib.execute('echo', { path: `b${n}` });
    expect(await crib.permissions.list()).toHaveLength(1);
  });

  it('an equal grant is merged with the existing one, and the longer time counts', async () => {
    const crib = await testCrib([]);
    const now = crib.runtime.now();
    const short = await crib.permissions.grant(wanted(1, { expiresAt: now + 1000 }));
    const longer = await crib.permissions.grant(wanted(1, { expiresAt: now + 5000 }));
    expect(longer.id).not.toBe(short.id);
    expect(await crib.permissions.grant(wanted(1, { expiresAt: now + 2000 }))).toEqual(longer);
    expect(await crib.permissions.list()).toEqual([longer]);
    const open = await crib.permissions.grant(wanted(1));
    expect(await crib.permissions.list()).toEqual([open]);
  });

  it('benign: grants that differ in anything stay apart', async () => {
    const crib = await testCrib([]);
    await crib.permissions.grant(wanted(1));
    await crib.permissions.grant(wanted(2));
    await crib.permissions.grant(wanted(1, { subject: { user: 'bob' } }));
    await crib.permissions.grant(wanted(1, { by: 'other' }));
    await crib.permissions.grant(wanted(1, { condition: 'input.a == 1', targets: ['/a'] }));
    expect(await crib.permissions.list()).toHaveLength(5);
  });

  it('one person can give a limited number of grants, and others can still give theirs', async () => {
    const crib = await testCrib([]);
    const { grants } = await crib.store();
    for (let n = 0; n < MAX_GRANTS_PER_GIVER; n++) {
      await grants.add({ ...wanted(n), id: `g${n}`, createdAt: crib.runtime.now() });
    }
    await expect(crib.permissions.grant(wanted(-1))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await crib.permissions.list()).toHaveLength(MAX_GRANTS_PER_GIVER);
    await crib.permissions.grant(wanted(-1, { by: 'other' }));
    await crib.permissions.revoke('g0');
    await crib.permissions.grant(wanted(-1));
  });

  it('hostile: a planted copy of a grant does not replace the real one', async () => {
    const crib = await testCrib([]);
    const { grants } = await crib.store();
    await grants.add({ ...wanted(1), id: 'planted', createdAt: 0, seal: 'forged' });
    const real = await crib.permissions.grant(wanted(1));
    expect(real.id).not.toBe('planted');
  });
});
