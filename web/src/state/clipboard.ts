// Copying, with a word to screen readers about what became of it.
import { announcement } from './store.ts';

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announcement.value = `Copied ${what}`;
  } catch {
    announcement.value = 'The browser does not allow copying here';
  }
}
