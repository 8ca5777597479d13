/** Chooses how the runs of a store are sealed. */
import { randomBytes } from 'node:crypto';
import type { FlowSeals } from '../../../flow/run-seals.ts';
import { MacSeals } from '../../../governance/signing/mac-seals.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { MemberDeps } from '../member-deps.ts';

const PURPOSE = 'toolcrib flow journal 1';

const KEY_BYTES = 32;

/** Nobody can plant runs in the memory of this process, so they need no seal. */
const UNSEALED: FlowSeals = {
  isOn: false,
  seal: () => '',
  isOurs: () => true,
  isRunOurs: async () => true,
};

/** Derives the key. Without a signing key, runs are valid in this process only, and the log says so. */
const journalKey = async ({ signingKey, runtime }: MemberDeps): Promise<Uint8Array> => {
  try {
    return (await signingKey()).deriveKey(PURPOSE);
  } catch (error) {
    runtime.log.warn('no key to seal runs of flows with: other processes will not continue them', {
      why: reasonOf(error),
    });
    return randomBytes(KEY_BYTES);
  }
};

export const openFlowSeals = async (deps: MemberDeps): Promise<FlowSeals> => {
  const { store, engine } = await deps.open();
  if (store.label === 'memory') return UNSEALED;
  const macs = new MacSeals(await journalKey(deps), deps.runtime.log);
  return {
    isOn: true,
    seal: (text) => macs.seal(text),
    isOurs: (text, seal) => macs.isOurs(text, seal),
    isRunOurs: async (text, seal, before) =>
      seal === undefined || MacSeals.isMac(seal)
        ? macs.isOurs(text, seal, before)
        : engine.shared.seals.isOurs(before, seal),
  };
};
