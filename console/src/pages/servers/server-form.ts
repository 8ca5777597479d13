/** What a person types to add a server, and the request that it becomes. */
export interface ServerForm {
  readonly name: string;
  readonly kind: 'program' | 'address';
  readonly command: string;
  /** One argument a line. */
  readonly args: string;
  /** One `NAME=value` a line. */
  readonly env: string;
  readonly url: string;
  /** Empty: as strict as can be. */
  readonly tier: string;
}

export const EMPTY_SERVER: ServerForm = {
  name: '',
  kind: 'program',
  command: '',
  args: '',
  env: '',
  url: '',
  tier: '',
};

export type ServerProblems = Readonly<Partial<Record<keyof ServerForm, string>>>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const PAIR = /^([A-Za-z_][A-Za-z0-9_]{0,127})=(.*)$/;

const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '');

const isAddress = (text: string): boolean =>
  URL.canParse(text) && /^(?:https?|wss?):$/.test(new URL(text).protocol);

export const serverProblems = (form: ServerForm): ServerProblems => {
  const isProgram = form.kind === 'program';
  return {
    ...(!NAME.test(form.name) && {
      name: '1 to 64 letters, digits, “_” or “-”, a letter or digit first.',
    }),
    ...(isProgram && form.command.trim() === '' && { command: 'Name the program to start.' }),
    ...(isProgram &&
      linesOf(form.env).some((line) => !PAIR.test(line)) && {
        env: 'Write each line as NAME=value.',
      }),
    ...(!isProgram && !isAddress(form.url.trim()) && { url: 'An address such as https://…/mcp' }),
  };
};

/** Makes the request body, with the fields of the chosen kind only. */
export const serverBody = (form: ServerForm): object => {
  const { name, kind, command, url, tier } = form;
  const args = linesOf(form.args);
  const env = linesOf(form.env).map((line) => PAIR.exec(line)?.slice(1, 3) ?? []);
  return {
    name,
    ...(tier !== '' && { tier }),
    ...(kind === 'address'
      ? { url: url.trim() }
      : {
          command: command.trim(),
          ...(args.length > 0 && { args }),
          ...(env.length > 0 && { env: Object.fromEntries(env) }),
        }),
  };
};
