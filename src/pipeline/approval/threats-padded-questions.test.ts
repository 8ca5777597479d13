/** Threat: whoever starts a run pads its input, so that a person who is asked sees the harmless part alone. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Crib } from '../../contract/crib.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import { createCrib } from '../../crib/create-crib.ts';

const deploy = defineFlow({
  name: 'deploy',
  version: '1.0.0',
  run: (flow) => flow.waitForApproval('Deploy it?'),
});

let crib: Crib | undefined;
afterEach(() => crib?.close());

/** Starts a run, and returns what the person is shown of its input. */
const shownOf = async (input: unknown): Promise<string> => {
  crib = await createCrib({ store: 'memory', builtins: false });
  crib.flows.register(deploy);
  await crib.flows.start('deploy', input);
  const { approvals } = crib;
  await expect.poll(async () => (await approvals.list()).length).toBe(1);
  const [question] = await approvals.list();
  return String((question?.request.input as { readonly input: string } | undefined)?.input);
};

describe('threat: a question of a run whose input is padded', () => {
  it('hostile: says how much of the input is not shown', async () => {
    const input = { note: 'x'.repeat(5_000), target: 'production' };
    const shown = await shownOf(input);
    const hidden = JSON.stringify(input).length - 1_000;
    expect(shown).not.toContain('production');
    expect(shown).toMatch(new RegExp(`… \\(${hidden} more characters are not shown\\)$`));
  });

  it('benign: shows an input that is short as it is', async () => {
    expect(await shownOf({ target: 'staging' })).toBe('{"target":"staging"}');
  });
});
