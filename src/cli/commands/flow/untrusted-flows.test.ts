import { expect, it } from 'vitest';
import { ToolFailure } from '../../../contract/errors.ts';
import { NO_PROJECT, type ProjectTrust } from '../../../trust/project-trust.ts';
import { trustHint, untrustedFlows, withTrustHint } from './untrusted-flows.ts';

const folderOf = (files: Readonly<Record<string, string>>) =>
  ({
    contents: new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  }) as unknown as NonNullable<ProjectTrust['folder']>;

const FILES = { 'config.yml': 'a', 'flows/sums.yml': 'new', 'flows/old.yml': 'same' };
const trust: ProjectTrust = {
  ...{ ...NO_PROJECT, state: 'changed', folder: folderOf(FILES) },
  inForce: folderOf({ 'flows/sums.yml': 'before', 'flows/old.yml': 'same' }),
};

it('names the flow files that differ from what was trusted, and no others', () => {
  expect(untrustedFlows(trust)).toEqual(['.toolcrib/flows/sums.yml']);
  expect(untrustedFlows(NO_PROJECT)).toEqual([]);
  expect(trustHint(['a.yml', 'b.yml'])).toContain('a.yml, b.yml are there, but not trusted');
});

it('a flow that is not found, though its file is there, gets that as its advice', async () => {
  const open = { loaded: { trust } } as unknown as Parameters<typeof withTrustHint>[0];
  const missing = async () => {
    throw new ToolFailure('NOT_FOUND', 'There is no flow.', { suggestions: ['Put it there.'] });
  };
  const suggestions = [trustHint(['.toolcrib/flows/sums.yml'])];
  await expect(withTrustHint(open, 'sums@1.0.0', missing)).rejects.toMatchObject({
    extras: { suggestions },
  });
  await expect(withTrustHint(open, 'other', missing)).rejects.toMatchObject({
    extras: { suggestions: ['Put it there.'] },
  });
});
