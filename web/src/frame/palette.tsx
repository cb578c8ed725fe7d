// Every command by its name.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { allCommands, type Command } from '../state/commands.ts';
import { isCommandLine, parseCommandLine } from '../state/command_line.ts';
import { runCommandLine } from '../state/run_command_line.ts';
import { paletteOpen } from './dialog_state.ts';
import { shownKey } from './help.tsx';
import { placesAtOnce, placesByName } from './places.ts';

/** A command line that was typed, or pasted, is a command itself. */
function commandsFor(text: string): readonly Command[] {
  if (isCommandLine(text)) {
    const parsed = parseCommandLine(text);
    return typeof parsed === 'string' ? [{ group: '', title: parsed, keys: [], run: () => {} }] : [{ group: '', title: 'Show what this command line says', keys: ['Enter'], run: () => void runCommandLine(text) }];
  }
  if (text.trim() === '') return allCommands().filter(({ title, when }) => title !== '' && (!when || when()));
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const commands = allCommands().filter(({ title, when }) => title !== '' && (!when || when()) && words.every((word) => title.toLowerCase().includes(word)));
  return [...commands, ...placesAtOnce(text)];
}

/** Functions and markers are looked for once somebody has stopped typing. */
const QUIET_MS = 80;
const LEAST_LETTERS = 2;

export function PaletteDialog(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  /** Null until it is known what is called so. */
  const [named, setNamed] = useState<readonly Command[] | null>([]);
  useEffect(() => {
    if (!paletteOpen.value) return;
    setText('');
    setAt(0);
    dialog.current?.showModal();
  }, [paletteOpen.value]);
  useEffect(() => {
    const isSearched = paletteOpen.value && !isCommandLine(text) && text.trim().length >= LEAST_LETTERS;
    setNamed(isSearched ? null : []);
    if (!isSearched) return;
    let isOld = false;
    const timer = setTimeout(() => void placesByName(text).then((places) => !isOld && setNamed(places ?? [])), QUIET_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text, paletteOpen.value]);
  useEffect(() => document.getElementById(`palette-${at}`)?.scrollIntoView({ block: 'nearest' }), [at]);
  if (!paletteOpen.value) return null;
  const found = [...commandsFor(text), ...(named ?? [])];
  const run = (index: number): void => {
    dialog.current?.close();
    found[index]?.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
    else if (event.key === 'Enter') run(at);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Commands" onClose={() => (paletteOpen.value = false)} onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant={`palette-${at}`} aria-label="Command" placeholder="A command, a function, a thread, a marker, a time (1.5s), or options: --search malloc" value={text} onInput={({ currentTarget }) => { setText(currentTarget.value); setAt(0); }} onKeyDown={onKeyDown} />
      <ul id="palette-list" role="listbox" aria-label="Commands">
        {found.map(({ title, keys }, i) => (
          <li key={title + i} id={`palette-${i}`} role="option" aria-selected={i === at} onClick={() => run(i)}>
            <span>{title}</span> {keys[0] && <kbd>{shownKey(keys[0])}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="weak" role="status">{named ? 'No command, function, thread or marker has this in its name.' : 'Searching …'}</p>}
    </dialog>
  );
}
