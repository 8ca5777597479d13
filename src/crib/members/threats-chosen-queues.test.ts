/** Threat: an agent passes the rate of a queue by another queue, or fills the engine with queues of its own. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import type { JobAs } from '../../contract/job.ts';
import { createCribHost } from '../create-crib.ts';

const NAMES = { userId: 'jwt:bot', agentId: 'jwt:bot', sessionId: 'jwt:1' };
const agent: JobAs = { ...NAMES, roles: ['agent'], authenticated: NAMES };
const operator: JobAs = { ...agent, roles: ['operator'] };

let crib: CribHost;
let sent = 0;
afterEach(() => crib.close());

const open = async (): Promise<CribHost> => {
  sent = 0;
  const queues = { mail: { rate: { max: 2, perMs: 3_600_000 } }, slow: {} };
  const config = { jobs: { queues } };
  crib = await createCribHost({ store: 'memory', builtins: false, tools: [aTool()], config });
  const letter = () => {
    sent += 1;
    return 'sent';
  };
  crib.jobs.register('letter', letter, { queue: 'mail', openToAgents: true });
  return crib;
};

const CALL = { tool: 'echo', input: {} };

/** Adds as many letters as an agent manages to, and runs what can be run. */
const sendLetters = async (queue: string | undefined, as: JobAs): Promise<void> => {
  const { jobs } = await open();
  const options = queue === undefined ? as : { ...as, queue };
  for (let count = 0; count < 6; count += 1) {
    await jobs.enqueue('letter', {}, options).catch(() => undefined);
  }
  // Comes after the letters in the queue that they were meant for.
  const last = await jobs.enqueue('tool', CALL, { priority: 1_000, queue: queue ?? 'default' });
  await jobs.work();
  const isOver = async () => (await jobs.get(last))?.state;
  await expect.poll(isOver, { timeout: 5_000 }).toBe('completed');
};

describe('threat: the queue that an agent names for its job', () => {
  it.each(['default', 'slow'])(
    'hostile: a job of a type with a rate does not pass that rate in the queue %s',
    async (queue) => {
      await sendLetters(queue, agent);
      expect(sent).toBe(0);
    },
  );

  it('hostile: no schedule of an agent makes jobs in another queue than that of their type', async () => {
    const { jobs } = await open();
    const schedule = { cron: '0 0 1 1 *', type: 'letter', payload: {}, queue: 'default' };
    await expect(jobs.schedule('mine', { ...schedule, ...agent })).rejects.toThrow(
      expect.objectContaining({ code: 'PERMISSION_DENIED' }),
    );
    expect(await jobs.schedules()).toEqual([]);
  });

  it('hostile: queues of names that nobody knows are not made, however many are named', async () => {
    const { jobs } = await open();
    for (let count = 0; count < 50; count += 1) {
      await expect(jobs.enqueue('tool', CALL, { ...agent, queue: `mine${count}` })).rejects.toThrow(
        expect.objectContaining({ code: 'PERMISSION_DENIED' }),
      );
    }
    expect(Object.keys(await jobs.counts())).toEqual([]);
  });

  it('benign: an agent adds to the queue of the type, which keeps its rate', async () => {
    await sendLetters(undefined, agent);
    await expect.poll(() => sent).toBe(2);
  });

  it('benign: an agent chooses a queue of the configuration for a type that has none of its own', async () => {
    const { jobs } = await open();
    await jobs.enqueue('tool', CALL, { ...agent, queue: 'slow' });
    expect((await jobs.list())[0]).toMatchObject({ queue: 'slow' });
  });

  it('benign: the program and an operator choose any queue', async () => {
    const { jobs } = await open();
    await jobs.enqueue('letter', {}, { queue: 'other' });
    await jobs.enqueue('tool', CALL, { ...operator, queue: 'more' });
    expect(Object.keys(await jobs.counts()).toSorted()).toEqual(['more', 'other']);
  });
});
