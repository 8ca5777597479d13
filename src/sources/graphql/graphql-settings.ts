/** The settings that only GraphQL sources have. */
import type { ExternalSettings } from '../../contract/source-driver.ts';

export interface GraphqlSettings {
  readonly url: string;
  /** An address or a path of the schema; the service itself is asked when absent. */
  readonly schema?: string;
  /** The key of a secret that is sent as `Authorization: Bearer`. */
  readonly bearer?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly maxDepth?: number;
  readonly maxFields?: number;
}

export const ownSettings = ({ own }: ExternalSettings): GraphqlSettings => own as GraphqlSettings;

/** Returns the headers of a request, with references to secrets. */
export const headersOf = (settings: ExternalSettings): Readonly<Record<string, string>> => {
  const { bearer } = ownSettings(settings);
  return {
    ...settings.headers,
    ...(bearer !== undefined && { authorization: `Bearer \${secret:${bearer}}` }),
  };
};
