/** Writes the bodies of requests: JSON, forms, multipart with files, text and bytes. */
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Body } from './body.ts';
import { plainText } from './encode.ts';
import { queryWriter, type Writer } from './parameter-styles.ts';

export interface WrittenBody {
  readonly contentType: string;
  readonly bytes: string | Uint8Array<ArrayBuffer>;
}

export type BodyWriter = (value: unknown) => WrittenBody;

/** What a caller gives for a file or for bytes. */
export const FILE_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'A file: its content as text or base64.',
  properties: {
    text: { type: 'string' },
    base64: { type: 'string' },
    fileName: { type: 'string', maxLength: 200 },
    contentType: { type: 'string', maxLength: 100 },
  },
  additionalProperties: false,
};

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.-]+)*$/;

const badFile = (message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `A file of the request cannot be sent: ${message}.`, {
    suggestions: ['Give { "text": "…" } or { "base64": "…" }, with "fileName" if it has one.'],
  });

interface FileInput {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly fileName: string | undefined;
  readonly contentType: string | undefined;
}

const fileOf = (value: unknown): FileInput => {
  const { text, base64, fileName, contentType } = isRecord(value) ? value : { text: value };
  if ((typeof text === 'string') === (typeof base64 === 'string')) {
    throw badFile('it needs either text or base64');
  }
  if (typeof base64 === 'string' && !BASE64.test(base64)) throw badFile('its base64 is not valid');
  if (contentType !== undefined && !CONTENT_TYPE.test(String(contentType))) {
    throw badFile('its content type is not valid');
  }
  return {
    bytes:
      typeof text === 'string'
        ? new TextEncoder().encode(text)
        : new Uint8Array(Buffer.from(String(base64), 'base64')),
    fileName: typeof fileName === 'string' ? fileName : undefined,
    contentType: typeof contentType === 'string' ? contentType : undefined,
  };
};

const styleOf = (name: string, encoding: unknown) => {
  const { style, explode, allowReserved, contentType } = isRecord(encoding) ? encoding : {};
  const isStyled = style !== undefined || explode !== undefined || allowReserved !== undefined;
  const chosen = typeof style === 'string' ? style : 'form';
  const type =
    typeof contentType === 'string' && /json/i.test(contentType) ? contentType : undefined;
  return {
    isStyled,
    parameter: {
      ...{ name, style: chosen, allowReserved: allowReserved === true },
      explode:
        typeof explode === 'boolean' ? explode : chosen === 'form' || chosen === 'deepObject',
      contentType: isStyled ? undefined : type,
    },
  };
};

/** Writes a field of a form. An object is JSON unless the document gives a style (OpenAPI 3.0.4). */
const formField = (name: string, encoding: unknown): Writer => {
  const { isStyled, parameter } = styleOf(name, encoding);
  const write = queryWriter(parameter);
  if (isStyled) return write;
  const asJson = queryWriter({ ...parameter, contentType: 'application/json' });
  return (value) => (isRecord(value) ? asJson(value) : write(value));
};

const formWriter = ({ contentType, encoding }: Body): BodyWriter => {
  const writers = new Map<string, Writer>();
  const writerOf = (name: string): Writer => {
    const writer =
      writers.get(name) ??
      formField(name, Object.hasOwn(encoding, name) ? encoding[name] : undefined);
    if (writers.size < 1000) writers.set(name, writer);
    return writer;
  };
  return (value) => ({
    contentType,
    bytes: Object.entries(isRecord(value) ? value : {})
      .map(([name, field]) => (field === undefined ? '' : writerOf(name)(field)))
      .filter((part) => part !== '')
      .join('&'),
  });
};

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

const filePart = (name: string, value: unknown): Part => {
  const { bytes, fileName = 'file', contentType = 'application/octet-stream' } = fileOf(value);
  return { head: headOf(name, fileName, contentType), bytes };
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

const typeOfField = (encoding: Body['encoding'], name: string): string | undefined => {
  const one = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const type: unknown = isRecord(one) ? one.contentType : undefined;
  return typeof type === 'string' && CONTENT_TYPE.test(type) ? type : undefined;
};

export interface BodyWriterDeps {
  readonly runtime: Runtime;
  /** Fields of a multipart body that are files. */
  readonly files: ReadonlySet<string>;
}

const multipartWriter = (
  { contentType, encoding }: Body,
  { runtime, files }: BodyWriterDeps,
): BodyWriter => {
  const plainType = contentType.split(';', 1)[0] ?? contentType;
  return (value) => {
    const parts = Object.entries(isRecord(value) ? value : {}).flatMap(([name, field]) => {
      if (field === undefined) return [];
      const values: readonly unknown[] = Array.isArray(field) ? field : [field];
      return values.map((one) =>
        files.has(name) ? filePart(name, one) : plainPart(name, one, typeOfField(encoding, name)),
      );
    });
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

export const bodyWriter = (body: Body, deps: BodyWriterDeps): BodyWriter => {
  const { kind, contentType } = body;
  switch (kind) {
    case 'json':
      return (value) => ({ contentType, bytes: JSON.stringify(value) });
    case 'form':
      return formWriter(body);
    case 'multipart':
      return multipartWriter(body, deps);
    case 'text':
      return (value) => ({ contentType, bytes: plainText(value) });
    default:
      return (value) => {
        const file = fileOf(value);
        const type = contentType.includes('*') ? 'application/octet-stream' : contentType;
        return { contentType: file.contentType ?? type, bytes: file.bytes };
      };
  }
};
