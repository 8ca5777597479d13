import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configFields, environmentName } from '../../src/config/document/config-fields.ts';
import { configSchema } from '../../src/config/schema.ts';

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly deploy?: { readonly replicas?: number };
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'compose.yml'), 'utf8');
const { services, volumes } = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

/** What compose passes on: two dollar signs are one. */
const passedOn = (value = ''): string => value.replaceAll('$$', '$');

describe('compose.yml', () => {
  it('starts two servers and two workers on one PostgreSQL and one Redis', () => {
    expect(Object.keys(services).sort()).toEqual(['postgres', 'redis', 'server', 'worker']);
    for (const name of ['server', 'worker']) {
      const { deploy, depends_on, environment, volumes: mounted } = services[name] ?? {};
      expect(deploy?.replicas).toBe(2);
      expect(Object.keys(depends_on ?? {}).sort()).toEqual(['postgres', 'redis']);
      expect(passedOn(environment?.TOOLCRIB_STORE_URL)).toMatch(/^postgres:\/\/.+@postgres:5432\//);
      expect(passedOn(environment?.TOOLCRIB_JOBS_URL)).toMatch(/^redis:\/\/.+@redis:6379$/);
      // All of them seal with one key.
      expect(mounted).toEqual(['toolcrib:/data']);
    }
    expect(services.worker?.command?.[0]).toBe('worker');
    expect(services.redis?.command?.join(' ')).toContain('--appendfsync always');
  });

  it('sets only variables that the configuration knows, with values that it accepts', () => {
    const fields = configFields();
    const names = new Set(fields.map(({ path }) => environmentName(path)));
    const used = Object.values(services).flatMap(({ environment = {} }) =>
      Object.keys(environment),
    );
    const unknown = used.filter((name) => name.startsWith('TOOLCRIB_') && !names.has(name));
    expect(unknown).toEqual([]);
    const url = passedOn(services.worker?.environment?.TOOLCRIB_JOBS_URL);
    expect(configSchema.safeParse({ jobs: { url } }).success).toBe(true);
  });

  it('gives each service the secrets that its addresses refer to, and holds none itself', () => {
    for (const { environment = {} } of Object.values(services)) {
      const values = Object.values(environment).map(passedOn);
      const keys = values.flatMap((value) => [...value.matchAll(/\$\{secret:([A-Z_]+)\}/g)]);
      for (const [, key = ''] of keys) expect(environment[key]).toMatch(/^\$\{[A-Z_]+:\?/);
    }
  });

  it('publishes no port beyond this machine and mounts only volumes that it declares', () => {
    for (const { ports = [], volumes: mounted = [] } of Object.values(services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      for (const mount of mounted) expect(Object.keys(volumes)).toContain(mount.split(':')[0]);
    }
  });

  it('runs an image whose build saves the drivers of both engines as dependencies', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    const install = /npm install (.*(?:bullmq|ioredis|pg)@.*)/.exec(dockerfile)?.[1] ?? '';
    for (const driver of ['bullmq', 'ioredis', 'pg']) expect(install).toContain(`${driver}@`);
    // npm leaves out a package that is named but listed for development or as an optional peer.
    expect(install).toContain('--save-prod');
    expect(install).not.toContain('--no-save');
  });
});
