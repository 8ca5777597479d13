import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeMessage, newDecoding } from '../codec/decode-message.ts';
import { encodeMessage } from '../codec/encode-message.ts';
import { createTypeTable } from '../codec/type-table.ts';
import { buildTypes } from './build-definition.ts';
import { readProtoFiles } from './read-proto-files.ts';

type Files = Readonly<Record<string, string>>;

const projectOf = async (files: Files): Promise<string> => {
  const project = await mkdtemp(join(tmpdir(), 'toolcrib-proto-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
  return project;
};

const read = async (
  project: string,
  proto: readonly string[],
  includeDirs: readonly string[] = [],
) =>
  readProtoFiles(proto, includeDirs, {
    signal: new AbortController().signal,
    absolutePath: (path) => resolve(project, path),
    readFile: (path) => readFile(resolve(project, path)),
  });

const typesOf = async (text: string) => {
  const { files } = await read(await projectOf({ 'a.proto': text }), ['a.proto']);
  return buildTypes(files);
};

const MAIN = `syntax = "proto3";
package main;
import "parts/part.proto";
import "google/protobuf/timestamp.proto";
// Does it.
service Main { rpc Do(Ask) returns (parts.Answer); }
message Ask { parts.Answer before = 1; }`;
const PART = `syntax = "proto3"; package parts; import "main.proto";
message Answer { main.Ask of = 1; google.protobuf.Timestamp at = 2; }`;

describe('proto files', () => {
  it('are read with the files that they import, also in a circle', async () => {
    const project = await projectOf({ 'api/main.proto': MAIN, 'include/parts/part.proto': PART });
    const { files, paths } = await read(project, ['api/main.proto'], ['include']);
    expect(paths).toEqual([
      join(project, 'api/main.proto'),
      join(project, 'include/parts/part.proto'),
    ]);
    const { services, messages } = buildTypes(files);
    const methods = [{ name: 'Do', input: 'main.Ask', output: 'parts.Answer' }];
    expect(services).toEqual([{ name: 'main.Main', methods, doc: 'Does it.' }]);
    expect(messages['parts.Answer']?.fields.map(({ ref }) => ref)).toEqual([
      'main.Ask',
      'google.protobuf.Timestamp',
    ]);
  });

  it.each(['../secret.proto', '/etc/passwd', 'a/../../secret.proto', 'C:\\\\x.proto'])(
    'may not import %s, which leaves their folder',
    async (path) => {
      const project = await projectOf({
        'api/main.proto': `syntax = "proto3"; import "${path}"; message A {}`,
        'secret.proto': 'syntax = "proto3";',
      });
      await expect(read(project, ['api/main.proto'])).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('leaves its folder'),
      });
    },
  );

  it('may not import a link that leads out of their folder', async () => {
    const project = await projectOf({
      'api/main.proto': 'syntax = "proto3"; import "link.proto";',
      'secret.proto': 'syntax = "proto3"; message Secret {}',
    });
    await symlink(join(project, 'secret.proto'), join(project, 'api/link.proto'));
    await expect(read(project, ['api/main.proto'])).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });

  it('that are missing or faulty are named', async () => {
    const project = await projectOf({ 'bad.proto': 'syntax = "proto3"; message {' });
    await expect(read(project, ['no.proto'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(read(project, ['bad.proto'])).rejects.toThrow('bad.proto cannot be read');
  });

  it('may import a missing file, as long as no type of it is needed', async () => {
    const text = 'syntax = "proto3"; import "google/api/annotations.proto"; message A {}';
    const { files, missing } = await read(await projectOf({ 'a.proto': text }), ['a.proto']);
    expect(missing).toEqual(['google/api/annotations.proto']);
    expect(Object.keys(buildTypes(files).messages)).toEqual(['A']);
  });

  it('of proto2 have required fields, groups and presence', async () => {
    const types = await typesOf(`syntax = "proto2"; package p;
      message M { required int32 a = 1; optional int32 b = 2; repeated int32 c = 3;
        optional group G = 4 { optional string x = 1; } }`);
    const table = createTypeTable(types);
    expect(types.messages['p.M']?.fields).toMatchObject([
      { name: 'a', presence: true, required: true },
      { name: 'b', presence: true },
      { name: 'c', many: true },
      { type: 'group', ref: 'p.M.G' },
    ]);
    expect(types.messages['p.M']?.fields[2]).not.toHaveProperty('packed');
    const value = { a: 0, c: [1, 2], g: { x: 'y' } };
    const bytes = encodeMessage('p.M', value, table);
    expect(bytes.toString('hex')).toBe('080018011802230a017924');
    expect(decodeMessage('p.M', bytes, newDecoding(table, 1000))).toEqual(value);
    expect(() => encodeMessage('p.M', { b: 1 }, table)).toThrow();
  });

  it('of proto2 have maps whose absent keys and values are zero', async () => {
    const table = createTypeTable(
      await typesOf('syntax = "proto2"; package p; message M { map<int32, bool> flags = 1; }'),
    );
    const entry = Buffer.from([0x0a, 0x00]);
    const flags = { 0: false };
    expect(decodeMessage('p.M', entry, newDecoding(table, 1000))).toEqual({ flags });
    expect(encodeMessage('p.M', { flags }, table).toString('hex')).toBe('0a0408001000');
  });

  it('of an edition follow its features', async () => {
    const { messages } = await typesOf(`edition = "2023"; package q;
      option features.field_presence = IMPLICIT;
      message M { int32 a = 1 [features.field_presence = EXPLICIT]; int32 b = 2;
        repeated int32 c = 3 [features.repeated_field_encoding = EXPANDED];
        repeated int32 d = 4; M e = 5 [features.message_encoding = DELIMITED]; }`);
    expect(messages['q.M']?.fields).toEqual([
      { name: 'a', number: 1, type: 'int32', presence: true },
      { name: 'b', number: 2, type: 'int32' },
      { name: 'c', number: 3, type: 'int32', many: true },
      { name: 'd', number: 4, type: 'int32', many: true, packed: true },
      { name: 'e', number: 5, type: 'group', ref: 'q.M', presence: true },
    ]);
  });
});
