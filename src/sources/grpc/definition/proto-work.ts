/** The work of parsing one proto file. */
import { invalidSetting } from '../../../kit/data/coded-failures.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { loadProtoParser, type ProtoParser } from '../load-libraries.ts';
import type { FileDescriptor } from './descriptors.ts';
import { protoDescriptor } from './proto-descriptor.ts';

export interface ProtoText {
  readonly text: string;
  /** For messages. */
  readonly path: string;
}

export interface ParsedProto {
  readonly file: FileDescriptor;
  readonly imports: readonly string[];
}

const MAX_SHOWN = 300;

const parse = ({ text, path }: ProtoText, parser: ProtoParser): ParsedProto => {
  const root = new parser.Root();
  try {
    const options = { keepCase: true, alternateCommentMode: true } as const;
    const parsed = parser.parse(text, root, options);
    const { package: name, imports = [], weakImports = [] } = parsed;
    const tree = root.toJSON({ keepComments: true });
    return { file: protoDescriptor(tree, name ?? '', text), imports: [...imports, ...weakImports] };
  } catch (error) {
    const reason = visibleText(reasonOf(error).slice(0, MAX_SHOWN));
    throw invalidSetting(
      `The proto file ${visibleText(path)} cannot be read: ${reason}`,
      'Correct it.',
    );
  }
};

/** Prepares the work, which throws CONFIG_INVALID, naming the file. */
export const prepare = async (input: ProtoText): Promise<() => ParsedProto> => {
  const parser = loadProtoParser();
  return () => parse(input, parser);
};
