/** Tools as this API shows them. */
import { z } from 'zod';
import { CATEGORIES, SOURCES, TIERS } from '../../../contract/tool.ts';
import { figuresSchema } from './figures.ts';

export const tierSchema = z.enum(TIERS);

export const isolationSchema = z.enum(['none', 'basic', 'strict', 'paranoid']);

const findingSchema = z.object({ kind: z.string(), path: z.string(), message: z.string() });

export const toolSummarySchema = z.object({
  name: z.string(),
  wireName: z.string(),
  version: z.string(),
  description: z.string(),
  source: z.enum(SOURCES),
  category: z.enum(CATEGORIES),
  tier: tierSchema,
  tags: z.array(z.string()),
  enabled: z.boolean(),
  deprecated: z.boolean(),
  quarantine: z.object({ reason: z.string(), findings: z.array(findingSchema) }).optional(),
  renamedFrom: z.string().optional(),
  calls: z.number().optional(),
  lastUsed: z.number().optional(),
});

const jsonSchema = z.record(z.string(), z.unknown());

export const toolDetailSchema = toolSummarySchema.extend({
  documentation: z.string().optional(),
  capabilities: z.array(z.looseObject({ action: z.string(), description: z.string() })),
  cost: z.looseObject({ model: z.string() }).optional(),
  auth: z
    .object({
      type: z.string(),
      configKey: z.string(),
      setupUrl: z.string().optional(),
      present: z.boolean().optional(),
    })
    .optional(),
  needs: z.looseObject({}).optional(),
  examples: z.array(z.looseObject({ title: z.string(), input: z.unknown() })),
  input: jsonSchema,
  output: jsonSchema.optional(),
  versions: z.array(
    z.object({ version: z.string(), active: z.boolean(), deprecated: z.boolean() }),
  ),
  tokens: z.number(),
  sandbox: z.looseObject({ type: z.string() }).optional(),
  timeoutMs: z.number().optional(),
  lock: z
    .object({
      state: z.string(),
      fingerprint: z.string(),
      findings: z.array(findingSchema),
      diff: z.string(),
    })
    .optional(),
});

export const toolMetadataSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  category: z.enum(CATEGORIES),
  author: z.string().optional(),
  license: z.string().optional(),
  tags: z.array(z.string()).optional(),
  documentation: z.string().optional(),
  examples: z.array(z.looseObject({ title: z.string(), input: z.unknown() })).optional(),
  performance: figuresSchema,
  usage: z.object({
    count: z.number(),
    errors: z.number(),
    firstUsed: z.number().optional(),
    lastUsed: z.number().optional(),
  }),
  created: z.number().optional(),
  lastModified: z.number().optional(),
});

export const lockEntrySchema = z.object({
  tool: z.string(),
  source: z.enum(SOURCES),
  origin: z.string(),
  version: z.string(),
  fingerprint: z.string(),
  acceptedAt: z.string(),
  acceptedBy: z.string(),
});
