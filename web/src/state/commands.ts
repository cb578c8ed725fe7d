// Everything that can be done by a key: one list for the keyboard, the list of keys, and the command palette.
import { signal } from '@preact/signals';

export interface Command {
  readonly title: string;
  /** As KeyboardEvent.key has them, with Ctrl+, Alt+ and Shift+ before; Shift+ only where the character does not say it. */
  readonly keys: readonly string[];
  readonly group: string;
  readonly run: () => void;
  /** Whether it can be done now. */
  readonly when?: () => boolean;
}

const lists = new Map<string, () => readonly Command[]>();
export const commandsChanged = signal(0);

/** Each part of the page has its own, while it is there. */
export function provideCommands(owner: string, list: () => readonly Command[]): () => void {
  lists.set(owner, list);
  commandsChanged.value++;
  return () => {
    if (lists.get(owner) === list) lists.delete(owner);
    commandsChanged.value++;
  };
}

export const allCommands = (): Command[] => [...lists.values()].flatMap((list) => list());

/** "Ctrl+Shift+z", "?", "Alt+ArrowUp". */
export function keyName({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const isCharacter = key.length === 1;
  const modifiers = [ctrlKey || metaKey ? 'Ctrl' : '', altKey ? 'Alt' : '', shiftKey && (!isCharacter || ctrlKey || metaKey) ? 'Shift' : ''];
  const name = isCharacter && (ctrlKey || metaKey) ? key.toLowerCase() : key === ' ' ? 'Space' : key;
  return [...modifiers.filter(Boolean), name].join('+');
}

/** Of those in a shadow root, too. */
const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select, [role=textbox]'));

/** What is being typed in a field is for the field. A list that is closed has no use for Escape. */
const isTyped = (event: KeyboardEvent, name: string): boolean =>
  isField(event.composedPath()[0] ?? null) && !(name === 'Escape' && event.composedPath()[0] instanceof HTMLSelectElement) && !(name.startsWith('Ctrl+') && name !== 'Ctrl+a' && name !== 'Ctrl+c' && name !== 'Ctrl+v' && name !== 'Ctrl+x' && name !== 'Ctrl+z');

/** One of these, if the key is for it: of a part of the page that has the focus, before others get to know of the key. */
export function runCommand(event: KeyboardEvent, commands: readonly Command[]): boolean {
  const name = keyName(event);
  if (event.defaultPrevented || isTyped(event, name)) return false;
  const command = commands.find(({ keys, when }) => keys.includes(name) && (!when || when()));
  if (!command) return false;
  event.preventDefault();
  command.run();
  return true;
}

const PRESSED = 'button, a[href], summary, input[type=checkbox], input[type=radio]';

/** What presses the button that has the focus, or goes from one choice to the next, is no command. */
function isForControl({ key }: KeyboardEvent, target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return key === 'Enter' || key === ' ' ? target.matches(PRESSED) : key.startsWith('Arrow') && target.matches('input[type=radio]');
}

/** A panel's commands come before those of the page: the last provided first. */
export const runKey = (event: KeyboardEvent): boolean => !isForControl(event, event.composedPath()[0] ?? null) && runCommand(event, allCommands().reverse());
