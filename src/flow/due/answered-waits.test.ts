import { expect, it } from 'vitest';
import type { ApprovalRecord } from '../../contract/approver.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { FlowRun } from '../../contract/flow-store.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { wakeAnswered } from './answered-waits.ts';

const NOW = 1_000_000;
const waiting = (id: string, waitsFor: string): FlowRun => ({
  id,
  epoch: 1,
  flow: 'f',
  version: '1.0.0',
  input: {},
  caller: LOCAL_CALLER,
  status: 'waiting',
  waitsFor: [waitsFor],
  createdAt: NOW,
  updatedAt: NOW,
});

it('wakes an answered run, however many newer ones wait for events', async () => {
  const { flows } = createMemoryStore();
  await flows.create(waiting('asks', 'approval:a'), { isReleased: true });
  for (let at = 0; at <= 10_000; at += 1) {
    await flows.create(waiting(`event-${at}`, 'event:go'), { isReleased: true });
  }
  const approval = async () => ({ state: 'approved' }) as ApprovalRecord;
  const request = { now: NOW, flows: new Set(['f@1.0.0']) };
  expect(await wakeAnswered(request, { flows, approval })).toBe(1);
  expect((await flows.get('asks'))?.wakeAt).toBe(NOW);
});
