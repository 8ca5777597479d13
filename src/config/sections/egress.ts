/** The `egress` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { positiveCount } from './fields.ts';

const host = z
  .string()
  .regex(/^[^\s\p{C}]{1,255}$/u, 'expected a host name, an address or a range such as 10.0.0.0/8');

export const egressSection = z
  .strictObject({
    allowPrivate: z
      .array(host)
      .max(1000)
      .describe('Private hosts, addresses and ranges that tools may reach; all others are refused.')
      .meta(byProject('subset'))
      .default([]),
    maxResponseBytes: positiveCount
      .describe('The largest response that is read, in bytes.')
      .meta(byProject('lower'))
      .default(50_000_000),
  })
  .describe('What tools can reach over the network.')
  .prefault({});
