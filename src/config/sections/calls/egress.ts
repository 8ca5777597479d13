/** The `egress` section. */
import { z } from 'zod';
import { positiveCount } from '../fields.ts';
import { section, setting } from '../setting.ts';

const host = z
  .string()
  .regex(/^[^\s\p{C}]{1,255}$/u, 'expected a host name, an address or a range such as 10.0.0.0/8');

export const egressSection = section(
  z.strictObject({
    allowPrivate: setting(z.array(host).max(1000), {
      about: 'Private hosts, addresses and ranges that tools may reach; all others are refused.',
      project: 'subset',
      default: [],
    }),
    maxResponseBytes: setting(positiveCount, {
      about: 'The largest response that is read, in bytes.',
      project: 'lower',
      default: 50_000_000,
    }),
  }),
  'What tools can reach over the network.',
);
