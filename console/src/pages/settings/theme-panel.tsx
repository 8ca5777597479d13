/** The theme, chosen by name; the button in the navigation goes through the same three. */
import { useState } from 'react';
import { applyTheme, readTheme, type Theme } from '../../theme/theme.ts';

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system has it'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export const ThemePanel = () => {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme): void => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <fieldset className="group theme-choice">
      <legend>Theme</legend>
      {THEMES.map(([id, title]) => (
        <label key={id} className="check">
          <input
            type="radio"
            name="theme"
            value={id}
            checked={theme === id}
            onChange={() => choose(id)}
          />
          {title}
        </label>
      ))}
      <p className="hint">Kept in this browser only.</p>
    </fieldset>
  );
};
