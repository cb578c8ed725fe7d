// The list of keys: made of the commands that there are.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { helpOpen } from './dialog_state.ts';
import { allCommands, type Command } from '../state/commands.ts';

const SHOWN: Record<string, string> = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };
export const shownKey = (key: string): string => key.split('+').map((part) => SHOWN[part] ?? part).join(' + ') || '+';

export function HelpDialog(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const [search, setSearch] = useState('');
  useEffect(() => {
    if (helpOpen.value) dialog.current?.showModal();
  }, [helpOpen.value]);
  if (!helpOpen.value) return null;
  const groups = new Map<string, Command[]>();
  for (const command of allCommands())
    if (command.title !== '' && `${command.title} ${command.keys.join(' ')}`.toLowerCase().includes(search.toLowerCase())) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return (
    <dialog ref={dialog} class="help" aria-label="Keys" onClose={() => (helpOpen.value = false)} onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <header>
        <h1>Keys</h1>
        <input type="search" aria-label="Search keys" placeholder="Search" value={search} onInput={({ currentTarget }) => setSearch(currentTarget.value)} />
        <button aria-label="Close" onClick={() => dialog.current?.close()}>×</button>
      </header>
      <div class="help-groups">
        {[...groups].map(([group, commands]) => (
          <section key={group}>
            <h2>{group}</h2>
            <dl>
              {commands.map(({ title, keys }) => (
                <div key={title + keys.join()}><dt>{title}</dt><dd>{keys.map((key) => <kbd key={key}>{shownKey(key)}</kbd>)}</dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
