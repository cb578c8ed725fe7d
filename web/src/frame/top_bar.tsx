// Name of the profile, breadcrumbs of ranges, and what concerns all of it.
import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { change, file, files, opened, popRanges, view, wholeRange } from '../state/store.ts';
import { duration } from '../format/numbers.ts';
import { prefer, preferences, type Density, type Theme } from '../theme/theme.ts';
import { showPopup } from '../widgets/menu.tsx';
import { SymbolStatus } from './symbol_status.tsx';
import { EDITORS } from '../source/editors.ts';
import { lazy } from '../widgets/lazy.tsx';
import { openFile } from './start.ts';

const InfoPanel = lazy(async () => (await import('./later.ts')).InfoPanel);
const ExportPanel = lazy(async () => (await import('./later.ts')).ExportPanel);

const defaultName = (): string => opened.value?.product || file.value?.name || 'Untitled profile';

function takeFocus(input: HTMLInputElement | null): void {
  input?.focus();
  input?.select();
}

function ProfileName(): JSX.Element {
  const [editing, setEditing] = useState(false);
  const name = view.value.name ?? defaultName();
  if (!editing)
    return (
      <button class="profile-name" title="Rename" onClick={() => setEditing(true)}>
        {name}
      </button>
    );
  const commit = (text: string): void => {
    setEditing(false);
    if (text.trim() !== name) change('Renamed', { name: text.trim() || null });
  };
  return (
    <input class="profile-name" aria-label="Name of the profile" value={name} ref={takeFocus} onBlur={({ currentTarget }) => commit(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit(event.currentTarget.value);
        if (event.key === 'Escape') setEditing(false);
      }} />
  );
}

function Breadcrumbs(): JSX.Element {
  const { ranges, preview } = view.value;
  const whole = wholeRange.value;
  const items = [`Full Range (${duration(whole[1] - whole[0])})`, ...ranges.map(([start, end]) => duration(end - start))];
  return (
    <nav aria-label="Ranges">
      <ol class="breadcrumbs">
        {items.map((text, i) => (
          <li key={i}>
            {i === items.length - 1 && !preview ? <span aria-current="true">{text}</span> : (
              <button onClick={() => (i === items.length - 1 ? change('Range dismissed', { preview: null }) : popRanges(i))}>{text}</button>
            )}
          </li>
        ))}
        {preview && <li><span class="weak" aria-current="true">{duration(preview[1] - preview[0])}</span></li>}
      </ol>
    </nav>
  );
}

function Choice<T extends string>({ label, value, values, onChange }: { label: string; value: T; values: readonly (readonly [T, string])[]; onChange: (value: T) => void }): JSX.Element {
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {values.map(([key, text]) => (
        <label key={key}>
          <input type="radio" name={label} checked={value === key} onChange={() => onChange(key)} /> {text}
        </label>
      ))}
    </fieldset>
  );
}

function Settings(): JSX.Element {
  const { theme, density, editor, colourBlind } = preferences.value;
  return (
    <div class="popup">
      <Choice<Theme> label="Theme" value={theme} values={[['system', 'As the system'], ['light', 'Light'], ['dark', 'Dark']]} onChange={(to) => prefer({ theme: to })} />
      <Choice<Density> label="Rows" value={density} values={[['compact', 'Compact'], ['normal', 'Normal'], ['comfortable', 'Comfortable']]} onChange={(to) => prefer({ density: to })} />
      <fieldset class="choice">
        <legend>Editor</legend>
        <select aria-label="Editor" title="The source of a function then has a link that opens the file in it" value={editor} onChange={({ currentTarget }) => prefer({ editor: currentTarget.value })}>
          {Object.entries(EDITORS).map(([key, { title }]) => <option key={key} value={key}>{title}</option>)}
        </select>
      </fieldset>
      <fieldset class="choice">
        <legend>Colours</legend>
        <label title="Categories have colours that differ for people who confuse red and green"><input type="checkbox" checked={colourBlind} onChange={({ currentTarget }) => prefer({ colourBlind: currentTarget.checked })} /> Easy to tell apart</label>
      </fieldset>
    </div>
  );
}

export function TopBar(): JSX.Element {
  return (
    <header class="top-bar">
      {files.value.length > 1 && (
        <button class="file-button" title="Another profile" aria-haspopup="dialog" onClick={({ currentTarget }) => showPopup(currentTarget, 'Profiles', <FileList />)}>☰</button>
      )}
      <ProfileName />
      <Breadcrumbs />
      <span class="spacer" />
      <SymbolStatus />
      <button aria-haspopup="dialog" onClick={({ currentTarget }) => showPopup(currentTarget, 'Profile info', <InfoPanel />)}>Profile info</button>
      <button aria-haspopup="dialog" onClick={({ currentTarget }) => showPopup(currentTarget, 'Export', <ExportPanel />)}>Export</button>
      <button title="Settings (Ctrl+,)" aria-label="Settings" aria-haspopup="dialog" class="settings-button" onClick={({ currentTarget }) => showPopup(currentTarget, 'Settings', <Settings />)}>⚙</button>
    </header>
  );
}

export function FileList(): JSX.Element {
  return (
    <ul class="file-list">
      {files.value.map((entry) => (
        <li key={entry.id}>
          <button disabled={entry.id === file.value?.id} onClick={() => void openFile(entry)}>
            <b>{entry.name}</b> <small>{new Date(entry.modified).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}
