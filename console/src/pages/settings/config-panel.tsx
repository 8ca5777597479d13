/** The configuration in force: each value, where it comes from, and what it would be otherwise. */
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { SearchBox } from '../../components/field.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState } from '../../components/states.tsx';
import {
  findSettings,
  groupSettings,
  isChanged,
  type SettingGroup,
  valueText,
} from './find-settings.ts';
import type { SettingLine } from './setting-records.ts';

const From = ({ line }: { readonly line: SettingLine }) => (
  <p className="hint">
    {line.source !== 'default' && (
      <>
        from <SafeText text={line.source} />
        {isChanged(line) && ', '}
      </>
    )}
    {isChanged(line) && (
      <>
        default{' '}
        <code>
          <SafeText text={valueText(line.default)} />
        </code>
      </>
    )}
    {line.source === 'default' && !isChanged(line) && 'default'}
  </p>
);

const Line = ({ line }: { readonly line: SettingLine }) => (
  <div className="setting">
    <dt>
      <code>
        <SafeText text={line.path} />
      </code>
      <p className="hint">
        <SafeText text={line.description} />
      </p>
    </dt>
    <dd>
      <code>
        <SafeText text={valueText(line.value)} />
      </code>
      <From line={line} />
    </dd>
  </div>
);

const Group = ({ group, isOpen }: { readonly group: SettingGroup; readonly isOpen: boolean }) => (
  <details className="setting-group" open={isOpen}>
    <summary>
      <strong>
        <SafeText text={group.name} />
      </strong>{' '}
      <span className="muted">
        {group.lines.length === 1 ? '1 setting' : `${group.lines.length} settings`}
      </span>{' '}
      {group.changed > 0 && <Badge tone="info">{group.changed} changed</Badge>}
    </summary>
    <dl>
      {group.lines.map((line) => (
        <Line key={line.path} line={line} />
      ))}
    </dl>
  </details>
);

const NoneFits = () => (
  <EmptyState icon="settings" title="No setting fits">
    <p>
      Settings are changed in <code>.toolcrib/config.yml</code>, in your own configuration, or by{' '}
      <code>TOOLCRIB_*</code> variables; this page only shows them.
    </p>
  </EmptyState>
);

export const ConfigPanel = ({ lines }: { readonly lines: readonly SettingLine[] }) => {
  const [words, setWords] = useState('');
  const [onlyChanged, setOnlyChanged] = useState(false);
  const matches = findSettings(lines, { words, onlyChanged });
  const isSearching = words.trim() !== '' || onlyChanged;
  return (
    <>
      <div className="filters">
        <SearchBox label="Search the settings" value={words} onChange={setWords} />
        <label className="check">
          <input
            type="checkbox"
            checked={onlyChanged}
            onChange={(event) => setOnlyChanged(event.target.checked)}
          />
          Only what differs from the default
        </label>
        <span className="muted check" role="status">
          {matches.length} of {lines.length}
        </span>
      </div>
      {matches.length === 0 && <NoneFits />}
      <div className="setting-groups">
        {groupSettings(matches).map((group) => (
          // What a search finds is open; ending the search closes it again.
          <Group key={`${group.name} ${isSearching}`} group={group} isOpen={isSearching} />
        ))}
      </div>
    </>
  );
};
