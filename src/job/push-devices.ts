/** Keeps the devices of users for notifications, in the store. */
import type { PushToken } from '../contract/background-services.ts';
import type { DeviceInfo, NewDevice } from '../contract/devices.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { MemoryStore } from '../contract/store.ts';
import { sha256Hex } from '../kit/data/canonical-json.ts';

export interface PushDeviceDeps {
  now(): number;
  memory(): Promise<MemoryStore>;
}

export interface PushDevices {
  /** With their tokens: for who sends, and nobody else. */
  tokens(userId: string): Promise<readonly PushToken[]>;
  list(userId: string): Promise<readonly DeviceInfo[]>;
  add(userId: string, device: NewDevice): Promise<DeviceInfo>;
  remove(userId: string, deviceId: string): Promise<boolean>;
}

interface StoredDevice extends PushToken {
  readonly addedAt: number;
}

/** No memory of a tool has a space of this form. */
const SPACE = 'toolcrib:devices';
const MAX_DEVICES = 50;
const MAX_TOKEN = 4_096;
const MAX_PLATFORM = 50;

const infoOf = ({ id, platform, addedAt }: StoredDevice): DeviceInfo => ({ id, platform, addedAt });

const assertText = (text: string, what: string, max: number): void => {
  if (typeof text === 'string' && text.length > 0 && text.length <= max) return;
  throw new ToolFailure('VALIDATION_ERROR', `The ${what} of a device has 1 to ${max} characters.`);
};

const devicesOf = (value: unknown): readonly StoredDevice[] =>
  Array.isArray(value) ? (value as readonly StoredDevice[]) : [];

export const storedDevices = ({ now, memory }: PushDeviceDeps): PushDevices => {
  const read = async (userId: string) =>
    devicesOf(await (await memory()).read(SPACE, userId, now()));
  const change = async (
    userId: string,
    make: (devices: readonly StoredDevice[]) => readonly StoredDevice[],
  ): Promise<void> => {
    const at = { space: SPACE, key: userId, now: now() };
    await (await memory()).update(at, (value) => make(devicesOf(value)));
  };
  return {
    tokens: async (userId) =>
      (await read(userId)).map(({ id, token, platform }) => ({ id, token, platform })),
    list: async (userId) => (await read(userId)).map(infoOf),
    add: async (userId, { token, platform }) => {
      assertText(token, 'token', MAX_TOKEN);
      assertText(platform, 'platform', MAX_PLATFORM);
      // The same token again is the same device.
      const id = sha256Hex(token).slice(0, 24);
      const device = { id, token, platform, addedAt: now() };
      await change(userId, (devices) => {
        const others = devices.filter((each) => each.id !== id);
        if (others.length < MAX_DEVICES) return [...others, device];
        throw new ToolFailure('CONFLICT', `A user has at most ${MAX_DEVICES} devices.`, {
          suggestions: ['Remove one that is not used any more.'],
        });
      });
      return infoOf(device);
    },
    remove: async (userId, deviceId) => {
      let isRemoved = false;
      await change(userId, (devices) => {
        const others = devices.filter(({ id }) => id !== deviceId);
        isRemoved = others.length < devices.length;
        return others;
      });
      return isRemoved;
    },
  };
};
