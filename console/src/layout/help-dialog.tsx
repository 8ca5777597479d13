/** The list of keys. */
import { Dialog } from '../components/dialog.tsx';
import { PAGES } from '../pages/page-table.ts';

const GENERAL = [
  [['?'], 'This list'],
  [['/'], 'Search on this page'],
  [['↓', '↑'], 'Next and previous row (also j and k)'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close what is open'],
] as const;

const Keys = ({ keys }: { readonly keys: readonly string[] }) => (
  <span>
    {keys.map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
);

export const HelpDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keyboard" onClose={onClose}>
    <dl className="keys dialog-body">
      {GENERAL.map(([keys, meaning]) => (
        <div key={meaning}>
          <dt>
            <Keys keys={keys} />
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
      {PAGES.map(({ id, title, letter }) => (
        <div key={id}>
          <dt>
            <Keys keys={['g', letter]} />
          </dt>
          <dd>Go to {title}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
