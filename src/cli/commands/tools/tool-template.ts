/** The files that `toolcrib tools new` writes: small working tools with comments on every choice. */

export type TemplateKind = 'yaml' | 'ts';

const YAML = (
  name: string,
): string => `# A tool of this project. It is loaded once the project is trusted.
name: ${name}
description: Count the lines and words of a text. Say here what it does, and when to use it.

# What it takes, as JSON Schema. A call that does not fit never reaches the code.
schema:
  type: object
  properties:
    text:
      type: string
      description: The text to count in
  required: [text]
  additionalProperties: false

runtime: typescript

permissions:
  riskLevel: low # low reads, medium writes, high and critical run programs
  autoAccept: true # false asks a person before every call; the policy may ask in any case
  # The programs it may run with context.exec. Without a list, none.
  # allowlist: ["npm test"]

# What else it may reach. Without this, nothing.
# needs:
#   paths: [{ path: src, access: read }]
#   hosts: [api.example.com]
#   secrets: [EXAMPLE_API_KEY]

# Run by \`toolcrib tools test\`. The result must contain what "output" names.
examples:
  - title: Two lines
    input: { text: "one two\\nthree" }
    output: { lines: 2, words: 3 }

# Runs in a sandbox: no modules of Node, and nothing of this machine except through the context.
code: |
  interface Args {
    text: string;
  }

  export async function execute({ text }: Args, context: ToolContext) {
    context.logger.info('counting');
    const words = text.split(/\\s+/).filter((word) => word !== '');
    return { lines: text.split('\\n').length, words: words.length };
  }
`;

const TS = (
  name: string,
): string => `// A tool of this project. It is loaded once the project is trusted.
import { defineTool } from 'toolcrib';

export default defineTool({
  name: '${name}',
  description: 'Count the lines and words of a text. Say here what it does, and when to use it.',

  // read_only, write, execute or external_api: raised if \`needs\` reaches further.
  tier: 'read_only',

  // What it takes, as JSON Schema. A call that does not fit never reaches the code.
  input: {
    type: 'object',
    properties: { text: { type: 'string', description: 'The text to count in' } },
    required: ['text'],
    additionalProperties: false,
  },

  // What it may reach. Without this, nothing.
  // needs: {
  //   paths: [{ path: 'src', access: 'read' }],
  //   hosts: ['api.example.com'],
  //   commands: ['npm test'],
  //   secrets: ['EXAMPLE_API_KEY'],
  // },

  // Run by \`toolcrib tools test\`. The result must contain what "output" names.
  examples: [
    { title: 'Two lines', input: { text: 'one two\\nthree' }, output: { lines: 2, words: 3 } },
  ],

  // Runs in a sandbox: no modules of Node, and nothing of this machine except through the context.
  async run({ text }: { text: string }, context) {
    context.logger.info('counting');
    const words = text.split(/\\s+/).filter((word) => word !== '');
    return { lines: text.split('\\n').length, words: words.length };
  },
});
`;

export const toolTemplate = (kind: TemplateKind, name: string): string =>
  kind === 'ts' ? TS(name) : YAML(name);
