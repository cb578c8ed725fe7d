// Colours of categories, libraries and functions, in the theme that is shown.
import { categoryHex, nameHex, paintOf, shadeOf, type Paint } from './palette.ts';
import { isDark, preferences } from './theme.ts';

/** Thousands of frames have a few colours. */
const paints = new Map<string, Paint>();

function paint(hex: string): Paint {
  const dark = isDark.value, key = `${hex}${dark}`;
  let found = paints.get(key);
  if (!found) paints.set(key, (found = paintOf(hex, dark)));
  return found;
}

export const categoryPaint = (color: string): Paint => paint(categoryHex(color, isDark.value, preferences.value.colourBlind));

/** `func`: its name, where functions are to be told apart, too. */
export const libraryPaint = (library: string, func = ''): Paint => (library === '' ? categoryPaint('grey') : paint(nameHex(library, isDark.value, shadeOf(func))));

export const functionPaint = (func: string): Paint => paint(nameHex(func, isDark.value, shadeOf(`${func} `)));
