// Parts of the page that are loaded when they are first shown, so that the first picture need not wait for them.
import { useEffect, useState } from 'preact/hooks';
import type { ComponentType, JSX } from 'preact';
import { failure } from '../state/store.ts';

type Load = () => Promise<void>;

const loads: Load[] = [];

/** A component of a module that is imported when it is first shown, or before that by `load`. */
export function lazy<P extends object = object>(find: () => Promise<ComponentType<P>>): ((props: P) => JSX.Element) & { readonly load: Load } {
  let found: ComponentType<P> | undefined, loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    loading ??= find().then((component) => void (found = component));
    try {
      await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  loads.push(load);
  function Part(props: P): JSX.Element {
    const [isLoaded, setLoaded] = useState(found !== undefined);
    useEffect(() => {
      if (!isLoaded) void load().then(() => setLoaded(true), (error) => (failure.value = `This part of the page could not be loaded: ${error}`));
    }, []);
    const Found = isLoaded && found;
    return Found ? <Found {...props} /> : <div class="lazy" aria-busy="true" />;
  }
  return Object.assign(Part, { load });
}

/** The rest of the page, so that it is there when the server has gone. */
export function loadEverything(): void {
  for (const load of loads) void load().catch(() => {}); // whoever shows it says what is wrong
}
