/** Writes multipart bodies: files with their names and media types, other fields as text or JSON. */
import type { Runtime } from '../../../contract/runtime.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Fields } from '../operations/definition.ts';
import type { Body, BodyWriter, Files } from './body.ts';
import { plainText } from './encode.ts';
import { CONTENT_TYPE, fileOf } from './file-input.ts';
import { delimiterOf } from './parameter-styles.ts';

const QUOTED: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A' };
const quoted = (text: string): string =>
  `"${text.replaceAll(/["\r\n]/g, (one) => QUOTED[one] ?? '')}"`;

interface Part {
  readonly head: string;
  readonly bytes: Uint8Array;
}

const headOf = (name: string, fileName: string | undefined, type: string | undefined): string =>
  [
    `Content-Disposition: form-data; name=${quoted(name)}${fileName === undefined ? '' : `; filename=${quoted(fileName)}`}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
  ].join('\r\n');

/** Makes the part of a file, with the media type of the document unless the file names one. */
const filePart = (name: string, value: unknown, type: string | undefined): Part => {
  const { bytes, fileName = 'file', contentType } = fileOf(value);
  const sent = contentType ?? type ?? 'application/octet-stream';
  return { head: headOf(name, fileName, sent), bytes };
};

const plainPart = (name: string, value: unknown, type: string | undefined): Part => {
  const own =
    type ?? (typeof value === 'object' && value !== null ? 'application/json' : undefined);
  return {
    head: headOf(name, undefined, own),
    bytes: Buffer.from(plainText(value)),
  };
};

const boundaryOf = (runtime: Runtime, parts: readonly Part[]): string => {
  for (;;) {
    const digits = Array.from({ length: 3 }, () => runtime.random().toString(36).slice(2)).join('');
    const boundary = `----toolcrib${digits.slice(0, 40)}`;
    if (!parts.some(({ bytes }) => Buffer.from(bytes).includes(boundary))) return boundary;
  }
};

const encodingOf = ({ encoding }: Body, name: string): Fields => {
  const one = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  return isRecord(one) ? one : {};
};

/** Gives a media type that a part may have; none for several, and for one with a star. */
const oneType = (type: unknown): string | undefined =>
  typeof type === 'string' && CONTENT_TYPE.test(type) ? type : undefined;

/** Writes a list as one text where the document says so, as Swagger 2 does unless told otherwise. */
const joinedList = (value: unknown, { style, explode }: Fields): unknown =>
  Array.isArray(value) && explode === false
    ? value.map(plainText).join(delimiterOf(String(style)))
    : value;

export interface MultipartDeps {
  readonly runtime: Runtime;
  readonly files: Files;
}

const partsFor = (
  [name, value]: readonly [string, unknown],
  body: Body,
  files: Files,
): readonly Part[] => {
  if (value === undefined) return [];
  const encoding = encodingOf(body, name);
  const type = oneType(encoding.contentType);
  const file = files.get(name);
  const field = file === undefined ? joinedList(value, encoding) : value;
  const values: readonly unknown[] = Array.isArray(field) ? field : [field];
  return values.map((one) =>
    file === undefined
      ? plainPart(name, one, type)
      : filePart(name, one, type ?? oneType(file.mediaType)),
  );
};

/** Writes each field as a part; each item of a list as one of its own. */
export const multipartWriter = (body: Body, { runtime, files }: MultipartDeps): BodyWriter => {
  const { contentType } = body;
  const plainType = contentType.split(';', 1)[0] ?? contentType;
  return (value) => {
    const fields = Object.entries(isRecord(value) ? value : {});
    const parts = fields.flatMap((field) => partsFor(field, body, files));
    const boundary = boundaryOf(runtime, parts);
    const pieces = parts.flatMap(({ head, bytes }) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]);
    const bytes = new Uint8Array(Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]));
    return { contentType: `${plainType}; boundary=${boundary}`, bytes };
  };
};
