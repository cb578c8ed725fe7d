// Editors that open a file at a line by an address, as they tell the system when they are installed.

export const EDITORS = {
  none: { title: 'None', link: null },
  vscode: { title: 'VS Code', link: (path: string, line: number) => `vscode://file${encodeURI(path)}:${line}` },
  vscodium: { title: 'VSCodium', link: (path: string, line: number) => `vscodium://file${encodeURI(path)}:${line}` },
  zed: { title: 'Zed', link: (path: string, line: number) => `zed://file${encodeURI(path)}:${line}` },
  idea: { title: 'IntelliJ IDEA', link: (path: string, line: number) => `idea://open?file=${encodeURIComponent(path)}&line=${line}` },
} as const;

export type Editor = keyof typeof EDITORS;

export const isEditor = (name: string): name is Editor => name in EDITORS;

/** Null where no editor was chosen, or the path is not one of this machine. */
export function editorLink(editor: Editor, path: string | null, line: number | null): string | null {
  const { link } = EDITORS[editor];
  return link && path?.startsWith('/') ? link(path, line ?? 1) : null;
}
