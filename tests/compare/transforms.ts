// Transforms, written once and rendered twice: for the address of a view on the profiler's site, and for `sonde --transform`.

export type Implementation = "combined" | "js" | "cpp";

export type Transform =
  | { kind: "focus-subtree"; path: number[]; implementation: Implementation; inverted?: boolean }
  | { kind: "merge-call-node"; path: number[]; implementation: Implementation }
  | { kind: "focus-self" | "collapse-direct-recursion"; func: number; implementation: Implementation }
  | {
      kind: "focus-function" | "merge-function" | "drop-function" | "collapse-recursion" | "collapse-function-subtree";
      func: number;
    }
  | { kind: "focus-category"; category: number; name: string }
  | { kind: "collapse-resource"; resource: number; collapsedFunc: number; name: string; implementation: Implementation }
  | { kind: "filter-samples"; type: "marker-search"; filter: string };

const KEYS = {
  "focus-subtree": "f",
  "focus-function": "ff",
  "focus-self": "ffs",
  "focus-category": "fg",
  "merge-call-node": "mcn",
  "merge-function": "mf",
  "drop-function": "df",
  "collapse-resource": "cr",
  "collapse-direct-recursion": "drec",
  "collapse-recursion": "rec",
  "collapse-function-subtree": "cfs",
  "filter-samples": "fs",
};

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._";

/** Base 32, most significant digit first; every digit but the last has 32 added. */
export function encodeNumbers(numbers: number[]): string {
  const encode = (number: number): string => {
    let text = DIGITS[number % 32];
    for (let rest = Math.floor(number / 32); rest > 0; rest = Math.floor(rest / 32)) {
      text = DIGITS[(rest % 32) + 32] + text;
    }
    return text;
  };
  return numbers.map(encode).join("");
}

export function toUrl(transform: Transform): string {
  const key = KEYS[transform.kind];
  switch (transform.kind) {
    case "focus-subtree":
      return `${key}-${transform.implementation}-${encodeNumbers(transform.path)}${transform.inverted ? "-i" : ""}`;
    case "merge-call-node":
      return `${key}-${transform.implementation}-${encodeNumbers(transform.path)}`;
    case "focus-self":
    case "collapse-direct-recursion":
      return `${key}-${transform.implementation}-${transform.func}`;
    case "collapse-resource":
      return `${key}-${transform.implementation}-${transform.resource}-${transform.collapsedFunc}`;
    case "focus-category":
      return `${key}-${transform.category}`;
    case "filter-samples":
      return `${key}-m-${transform.filter}`;
    default:
      return `${key}-${transform.func}`;
  }
}

const names = (funcs: number[]): string => funcs.map((func) => `f-${func}`).join(";");

/** `view` is the implementation filter of the view: what a transform without modifier was made under. */
export function toSonde(transform: Transform, view: Implementation): string {
  const modifiers = (implementation: Implementation, inverted = false): string =>
    `${implementation === view ? "" : `+${implementation}`}${inverted ? "+inverted" : ""}`;
  switch (transform.kind) {
    case "focus-subtree":
      return `${transform.kind}${modifiers(transform.implementation, transform.inverted)}:${names(transform.path)}`;
    case "merge-call-node":
      return `${transform.kind}${modifiers(transform.implementation)}:${names(transform.path)}`;
    case "focus-self":
    case "collapse-direct-recursion":
      return `${transform.kind}${modifiers(transform.implementation)}:f-${transform.func}`;
    case "collapse-resource":
      return `${transform.kind}${modifiers(transform.implementation)}:${transform.name}`;
    case "focus-category":
      return `${transform.kind}:${transform.name}`;
    case "filter-samples":
      return `${transform.kind}:${transform.type}:${transform.filter}`;
    default:
      return `${transform.kind}:f-${transform.func}`;
  }
}
