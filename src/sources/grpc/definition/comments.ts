/** Comments of proto files: the descriptions of tools and fields. */
import { visibleBlock } from '../../../kit/text/visible-text.ts';
import type { FileDescriptor, MessageDescriptor } from './descriptors.ts';

const MAX_DOC = 2000;

/** Bounds a comment and makes hidden characters visible; gives nothing for an empty one. */
export const docText = (text: string | null | undefined): { readonly doc?: string } => {
  const doc = visibleBlock((text ?? '').slice(0, MAX_DOC)).trim();
  return doc === '' ? {} : { doc };
};

/** The numbers of fields of descriptors, as the paths of comments name them. */
const PATHS = { message: 4, service: 6, field: 2, nested: 3, method: 2 } as const;

type Comments = ReadonlyMap<string, string>;

const withDoc = <T extends object>(one: T, comments: Comments, path: string): T => {
  const doc = comments.get(path);
  return doc === undefined ? one : { ...one, doc };
};

const MAX_NESTING = 60;

const messageWithDocs = (
  message: MessageDescriptor,
  comments: Comments,
  path: string,
): MessageDescriptor => {
  if (path.split(',').length > 2 * MAX_NESTING) return message;
  return {
    ...withDoc(message, comments, path),
    field: message.field.map((field, at) =>
      withDoc(field, comments, `${path},${PATHS.field},${at}`),
    ),
    nestedType: message.nestedType.map((nested, at) =>
      messageWithDocs(nested, comments, `${path},${PATHS.nested},${at}`),
    ),
  };
};

/** Puts the comments of a file at what they speak of. Most servers send none. */
export const commentsOf = (file: FileDescriptor): FileDescriptor => {
  const locations = file.sourceCodeInfo?.location ?? [];
  if (locations.length === 0) return file;
  const comments = new Map(
    locations.flatMap(({ path, leadingComments, trailingComments }) => {
      const text = leadingComments ?? trailingComments;
      return text === undefined ? [] : [[path.join(','), text] as const];
    }),
  );
  return {
    ...file,
    messageType: file.messageType.map((one, at) =>
      messageWithDocs(one, comments, `${PATHS.message},${at}`),
    ),
    service: file.service.map((one, at) => ({
      ...withDoc(one, comments, `${PATHS.service},${at}`),
      method: one.method.map((method, index) =>
        withDoc(method, comments, `${PATHS.service},${at},${PATHS.method},${index}`),
      ),
    })),
  };
};
