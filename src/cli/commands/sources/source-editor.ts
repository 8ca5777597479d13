/**
 * Changes the sources of the configuration for the console, with the checks of `toolcrib add` and
 * `toolcrib sources remove`. A change takes effect at once and is written to the files.
 */
import type { SourceKind } from '../../../contract/sources.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type {
  ConfiguredSourceView,
  NewSourceRequest,
  SourceEdit,
  SourceEditor,
  SourcePreviewView,
} from '../../../surfaces/http/source-editor.ts';
import { misuse } from '../../input/misuse.ts';
import type { Io, OpenCrib } from '../../io.ts';
import { type ConfigDeps, openConfigDeps } from '../../session/config-edit.ts';
import { asToolFailure, createTurns } from '../../session/edit-in-turn.ts';
import { recordChange } from '../../session/record-change.ts';
import type { NewSource } from '../add/add-kind.ts';
import { previewOf, writeSource } from '../add/add-source.ts';
import { ADD_KINDS } from '../add/kinds.ts';
import { assertFreeName, configuredSources, isOfProject } from './source-config.ts';
import { removeSource } from './sources-remove.ts';

type Open = Pick<OpenCrib, 'crib' | 'loaded'>;

interface Proposed {
  readonly deps: ConfigDeps;
  readonly kind: string;
  readonly source: NewSource;
}

class Editor implements SourceEditor {
  readonly #io: Io;
  readonly #open: Open;
  /** Runs one change at a time: two at once would overwrite each other. */
  readonly #inTurn = createTurns();

  constructor(io: Io, open: Open) {
    // Stops commands from printing: the HTTP answer has their messages.
    this.#io = { ...io, json: true };
    this.#open = open;
  }

  kinds() {
    return ADD_KINDS.map(({ kind, summary }) => ({ kind, summary }));
  }

  list(): Promise<readonly ConfiguredSourceView[]> {
    return this.#inTurn(async () => {
      const deps = await openConfigDeps(this.#io);
      return configuredSources(deps).map((source) => ({
        name: source.name,
        kind: source.kind,
        isOfProject: isOfProject(deps, source),
      }));
    });
  }

  /** Previews a source. Does not wait for its turn: reading a large document must not delay changes. */
  async preview(request: NewSourceRequest): Promise<SourcePreviewView> {
    try {
      const { deps, kind, source } = await this.#proposed(request);
      const preview = await previewOf(this.#io, deps, { kind, source });
      return { name: source.name, kind, ...preview };
    } catch (error) {
      throw asToolFailure(error);
    }
  }

  add(request: NewSourceRequest, by: string): Promise<SourceEdit> {
    return this.#inTurn(async () => {
      const { deps, kind, source } = await this.#proposed(request);
      const { secrets } = await previewOf(this.#io, deps, { kind, source });
      await writeSource(this.#io, deps, { kind, source, inProject: false });
      await this.#record('source.added', source.name, { by, kind });
      const missing = secrets.filter(({ isSet }) => !isSet);
      return {
        source: source.name,
        notes: [
          ...missing.map(({ key }) => `Store its secret: toolcrib secrets set ${key}`),
          ...(await this.#load(kind, source)),
        ],
      };
    });
  }

  remove(name: string, by: string): Promise<SourceEdit> {
    return this.#inTurn(async () => {
      await removeSource(this.#io, name);
      await this.#record('source.removed', name, { by });
      const { sources } = this.#open.crib;
      if (sources.list().some((source) => source.name === name)) await sources.remove(name);
      return { source: name, notes: [] };
    });
  }

  async #proposed({ kind, address, name }: NewSourceRequest): Promise<Proposed> {
    const entry = ADD_KINDS.find((one) => one.kind === kind);
    if (!entry) {
      const kinds = ADD_KINDS.map((one) => one.kind).join(', ');
      throw misuse('There is no such kind of source.', `Kinds: ${kinds}.`);
    }
    const loaded = await entry.load();
    const source = await loaded.source({ io: this.#io, address, name, options: {} });
    const deps = await openConfigDeps(this.#io);
    assertFreeName(deps, { kind, name: source.name }, false);
    return { deps, kind, source };
  }

  /** Loads the tools of a new source; when that fails, the source stays in the configuration. */
  async #load(kind: string, { name, settings }: NewSource): Promise<readonly string[]> {
    try {
      await this.#open.crib.sources.add(kind as SourceKind, name, settings);
      return [];
    } catch (error) {
      return [`It was added, but its tools come with the next start: ${reasonOf(error)}`];
    }
  }

  #record(
    event: string,
    name: string,
    { by, ...more }: { readonly by: string; readonly kind?: string },
  ): Promise<void> {
    const detail = { source: name, ...more };
    return recordChange(this.#io, this.#open, { event, subject: `source:${name}`, by, detail });
  }
}

export const createSourceEditor = (io: Io, open: Open): SourceEditor => new Editor(io, open);
