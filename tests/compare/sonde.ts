// Sonde's side: runs the command and reads its JSON.

import { execFile } from "node:child_process";

export type SondeNode = {
  func: string;
  name: string;
  lib: string | null;
  total: number;
  self: number;
  children: SondeNode[];
};

export type SondeTree = { rootTotal: number; weightType: string; truncated: boolean; nodes: SondeNode[] };
export type SondeFunction = { func: string; name: string; lib: string | null; self: number; total: number };

export type SondeMarker = {
  name: string;
  category: string;
  start: number;
  end: number | null;
  data: Record<string, unknown> | null;
  label: string | null;
  stack: string[] | null;
};

export type SondeMarkerName = {
  name: string;
  count: number;
  total: number | null;
  min: number | null;
  avg: number | null;
  max: number | null;
};

const program = process.env.SONDE ?? "build/sonde";

/** Runs `sonde ARGS --json`; a failure is an error that shows the command, ready to be tried by hand. */
export function sonde(...args: string[]): Promise<any> {
  return new Promise((resolve, reject) => {
    execFile(program, [...args, "--json"], { maxBuffer: 1 << 30 }, (error, stdout, stderr) => {
      const command = `sonde ${args.map((arg) => (/^[\w./,:=-]+$/.test(arg) ? arg : `'${arg}'`)).join(" ")}`;
      if (error) {
        reject(new Error(`${command}: ${stderr || error.message}`));
        return;
      }
      try {
        resolve(JSON.parse(stdout));
      } catch (problem) {
        reject(new Error(`${command}: not JSON: ${problem}`));
      }
    });
  });
}
