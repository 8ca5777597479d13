/** `crib.devices`: where notifications of a user go. */
import type { CribDevices } from '../../contract/devices.ts';
import { storedDevices } from '../../job/push-devices.ts';
import { callerOf } from '../../pipeline/new-call.ts';
import type { MemberDeps } from './member-deps.ts';

export const devicesOf = ({ runtime, open }: MemberDeps): CribDevices => {
  const devices = storedDevices({
    now: () => runtime.now(),
    memory: async () => (await open()).store.memory,
  });
  return {
    add: async (device, as) => devices.add(callerOf(as).userId, device),
    list: async (as) => devices.list(callerOf(as).userId),
    remove: async (deviceId, as) => devices.remove(callerOf(as).userId, deviceId),
  };
};
