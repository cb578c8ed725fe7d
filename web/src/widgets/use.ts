// What components share: effects of signals that end with the component, sizes of elements.
import { effect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import { provideCommands, type Command } from '../state/commands.ts';

/** Runs while the component is there, again whenever a signal that it reads changes: at once, and not a frame later. */
export function useSignalRun(run: () => void | (() => void), inputs: readonly unknown[] = []): void {
  useLayoutEffect(() => effect(run), inputs as unknown[]);
}

/** Commands that are there while the component is. */
export function useCommands(owner: string, list: () => readonly Command[]): void {
  useEffect(() => provideCommands(owner, list), []);
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of an element, in CSS pixels, kept up to date. */
export function useSize<E extends HTMLElement>(): [RefObject<E | null>, Size] {
  const ref = useRef<E>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}

/** Calls at most once a frame, with the last arguments. */
export function perFrame<A extends unknown[]>(run: (...args: A) => void): (...args: A) => void {
  let waiting: A | undefined;
  return (...args) => {
    if (!waiting) {
      requestAnimationFrame(() => {
        const last = waiting!;
        waiting = undefined;
        run(...last);
      });
    }
    waiting = args;
  };
}
