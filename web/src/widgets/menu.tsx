// The menu of a right click, or of a button. One at a time; Escape and a click elsewhere close it.
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';

export interface MenuItem {
  readonly title: string;
  readonly run: () => void;
  readonly key?: string;
  /** What it does in a sentence. */
  readonly hint?: string;
  readonly disabled?: boolean;
  readonly checked?: boolean;
}

export type MenuEntry = MenuItem | 'separator';

interface OpenMenu {
  readonly x: number;
  readonly y: number;
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly onClose?: () => void;
  readonly before: Element | null;
  /** In place of entries. */
  readonly content?: ComponentChildren;
}

export const openMenu = signal<OpenMenu | null>(null);

export function showMenu(x: number, y: number, label: string, entries: readonly MenuEntry[], onClose?: () => void): void {
  closeMenu();
  openMenu.value = { x, y, label, entries: entries.filter((entry, i) => entry !== 'separator' || (i > 0 && entries[i - 1] !== 'separator')), onClose, before: document.activeElement };
}

/** Below a button, with contents of its own. */
export function showPopup(anchor: Element, label: string, content: ComponentChildren): void {
  const { left, bottom } = anchor.getBoundingClientRect();
  closeMenu();
  openMenu.value = { x: left, y: bottom, label, entries: [], content, before: document.activeElement };
}

export function closeMenu(): void {
  const menu = openMenu.value;
  if (!menu) return;
  openMenu.value = null;
  menu.onClose?.();
  if (menu.before instanceof HTMLElement) menu.before.focus();
}

/** False where there are no items. */
function moveFocus(list: HTMLElement, step: number): boolean {
  const items = [...list.querySelectorAll<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
  return items.length > 0;
}

function Items({ entries }: { readonly entries: readonly MenuEntry[] }): JSX.Element {
  const choose = (item: MenuItem): void => {
    if (item.disabled) return;
    closeMenu();
    item.run();
  };
  return (
    <>
      {entries.map((entry, i) =>
        entry === 'separator' ? (
          <div key={i} class="menu-separator" role="separator" />
        ) : (
          <div key={i} class="menu-item" role={entry.checked === undefined ? 'menuitem' : 'menuitemcheckbox'} aria-checked={entry.checked}
            aria-disabled={entry.disabled ?? false} tabIndex={-1} title={entry.hint} onClick={() => choose(entry)} onPointerMove={({ currentTarget }) => currentTarget.focus()}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === ' ') {
                event.preventDefault();
                event.stopPropagation();
                choose(entry);
              }
            }}>
            <span class="menu-check">{entry.checked ? '✓' : ''}</span>
            <span class="menu-title">{entry.title}</span>
            {entry.key && <kbd>{entry.key}</kbd>}
          </div>
        ),
      )}
    </>
  );
}

export function MenuHost(): JSX.Element | null {
  const list = useRef<HTMLDivElement>(null);
  const menu = openMenu.value;
  useLayoutEffect(() => {
    const element = list.current;
    if (!element || !menu) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(4, Math.min(menu.x, innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(4, Math.min(menu.y, innerHeight - height - 4))}px`;
    if (menu.content === undefined) moveFocus(element, 1);
    else element.querySelector<HTMLElement>('input, button, [tabindex]')?.focus();
  }, [menu]);
  useEffect(() => {
    if (!menu) return;
    const outside = (event: PointerEvent): void => {
      if (!list.current?.contains(event.target as Node)) closeMenu();
    };
    addEventListener('pointerdown', outside, true);
    addEventListener('blur', closeMenu);
    return () => {
      removeEventListener('pointerdown', outside, true);
      removeEventListener('blur', closeMenu);
    };
  }, [menu]);
  if (!menu) return null;
  const onKeyDown = (event: KeyboardEvent): void => {
    const item = menu.content === undefined && menu.entries.find((entry) => entry !== 'separator' && entry.key === event.key && !entry.disabled);
    if (event.key === 'Escape' || (event.key === 'Tab' && menu.content === undefined)) closeMenu();
    else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && moveFocus(list.current!, event.key === 'ArrowDown' ? 1 : -1)) {
      // it has moved
    } else if (item && item !== 'separator') {
      closeMenu();
      item.run();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={list} class="menu" role={menu.content === undefined ? 'menu' : 'dialog'} aria-label={menu.label} onKeyDown={onKeyDown} onContextMenu={(event) => event.preventDefault()}>
      {menu.content ?? <Items entries={menu.entries} />}
    </div>
  );
}
