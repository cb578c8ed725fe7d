// Names of functions by number, for crumbs and titles: whoever shows a function says its name here.
import { signal } from '@preact/signals';
import { textOf } from '../transport/texts.ts';

const names = new Map<number, string>();
export const namesChanged = signal(0);

export const rememberName = (func: number, nameId: number | undefined): void => rememberNameText(func, textOf(nameId));

export function rememberNameText(func: number, name: string): void {
  if (name === '' || name === '…' || names.get(func) === name) return;
  names.set(func, name);
  namesChanged.value++;
}

/** Numbers of functions are others in another generation. */
export function forgetNames(): void {
  names.clear();
  namesChanged.value++;
}

export const nameOfFunc = (func: number): string => names.get(func) ?? `f-${func}`;
