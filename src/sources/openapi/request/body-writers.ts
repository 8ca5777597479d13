/** Writes the bodies of requests: JSON, forms, multipart with files, text and bytes. */
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Body, BodyWriter } from './body.ts';
import { plainText } from './encode.ts';
import { fileOf } from './file-input.ts';
import { type MultipartDeps, multipartWriter } from './multipart-writer.ts';
import { queryWriter, type Writer } from './parameter-styles.ts';

const styleOf = (name: string, encoding: unknown) => {
  const { style, explode, allowReserved, contentType } = isRecord(encoding) ? encoding : {};
  const isStyled = style !== undefined || explode !== undefined || allowReserved !== undefined;
  const chosen = typeof style === 'string' ? style : 'form';
  const type =
    typeof contentType === 'string' && /json/i.test(contentType) ? contentType : undefined;
  return {
    isStyled,
    parameter: {
      name,
      style: chosen,
      allowReserved: allowReserved === true,
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

export const bodyWriter = (body: Body, deps: MultipartDeps): BodyWriter => {
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
        return { contentType: file.contentType ?? contentType, bytes: file.bytes };
      };
  }
};
