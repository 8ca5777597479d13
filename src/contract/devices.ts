/** The devices of users that `send_notification` sends to. */
import type { Caller } from './caller.ts';

export interface NewDevice {
  /** What the push service knows the device by. Nobody can read it again. */
  readonly token: string;
  /** E.g. `ios`, `android` or `web`; passed to the push service. */
  readonly platform: string;
}

export interface DeviceInfo {
  /** Made of the token: the same token again is the same device. */
  readonly id: string;
  readonly platform: string;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
}

/** The devices of the caller's user; of the local owner when no caller is named. */
export interface CribDevices {
  /**
   * Adds a device. Rejects with VALIDATION_ERROR for a token or platform that is empty or too long, and
   * with CONFLICT for the fifty-first device of a user.
   *
   * @example
   * const [token = ''] = process.argv.slice(2);
   * const { id } = await crib.devices.add({ token, platform: 'ios' });
   */
  add(device: NewDevice, as?: Partial<Caller>): Promise<DeviceInfo>;
  /**
   * Lists the devices, without their tokens.
   *
   * @example
   * for (const { id, platform } of await crib.devices.list()) console.log(id, platform);
   */
  list(as?: Partial<Caller>): Promise<readonly DeviceInfo[]>;
  /**
   * Removes a device; false when the user has none of that id.
   *
   * @example
   * await crib.devices.remove('device-1', { userId: 'ada' });
   */
  remove(deviceId: string, as?: Partial<Caller>): Promise<boolean>;
}
